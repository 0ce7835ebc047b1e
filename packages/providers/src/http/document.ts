import { parseJson } from '@holdfast/egress/response';
import type { BodyForm, ResponseHead } from '@holdfast/egress/trusted';
import type { Answer } from '../connection.ts';
import { answerBody, fileForm, heldBody, type OutputBody } from '../outputBody.ts';
import type { HttpOptions } from './options.ts';

/** What an answer holds, where the places of the model's YAML lead, and the files that came in it. */
export type Document = { value: unknown; bodies: readonly OutputBody[] };

/** A form is read whole before its parts are known. */
export const maxFormBytes = 32 * 1024 * 1024;

const accepted = {
  json: 'application/json',
  text: 'text/plain, */*',
  file: '*/*',
  multipart: 'multipart/form-data, */*',
} as const satisfies Record<HttpOptions['response_as'], string>;

/** What the answer with the result may be. */
export function acceptHeader({ response_as: as }: HttpOptions): Record<string, string> {
  return { accept: accepted[as] };
}

/** How the body of the answer with the result is read. */
export function resultForm({ response_as: as }: HttpOptions, head: ResponseHead): BodyForm {
  if (as === 'file') return fileForm(head);
  return as === 'multipart' && formType(head) !== null ? 'bytes' : 'text';
}

/** The answer with the result, as the model's YAML says it is written; null when it is not. `again`: asks for it again. */
export async function documentOf(
  answer: Answer,
  { response_as: as }: HttpOptions,
  again?: (signal: AbortSignal) => Promise<Answer>,
): Promise<Document | null> {
  if (as === 'text') return { value: answer.bodyText, bodies: [] };
  if (as === 'file') {
    const body = answerBody(answer, again);
    return { value: body.reference, bodies: [body] };
  }
  if (as === 'multipart') return await readForm(answer);
  return answer.json === undefined ? null : { value: answer.json, bodies: [] };
}

function formType({ headers }: ResponseHead): string | null {
  const type = headers['content-type'] ?? '';
  return /^multipart\/form-data\b/i.test(type) ? type : null;
}

/** Its parts by their names: JSON where they are it, else texts, and files by their references. */
async function readForm(answer: Answer): Promise<Document | null> {
  const type = formType(answer);
  if (type === null || answer.bytes === undefined) return null;
  const form = await new Response(answer.bytes, { headers: { 'content-type': type } })
    .formData()
    .catch(() => null);
  if (form === null) return null;
  const bodies: OutputBody[] = [];
  const valueOf = (part: string | File) => {
    if (typeof part === 'string') return parseJson(part) ?? part;
    const body = heldBody(part, part.type || null);
    bodies.push(body);
    return body.reference;
  };
  const names = [...new Set(form.keys())];
  const value = Object.fromEntries(
    names.map((name) => {
      const values = form.getAll(name).map(valueOf);
      return [name, values.length === 1 ? values[0] : values];
    }),
  );
  return { value, bodies };
}
