import { parseJson } from '@holdfast/egress/response';
import type { BodyForm, ResponseHead } from '@holdfast/egress/trusted';
import type { HttpResponse } from '../connection.ts';
import { fileForm, heldBody, type OutputBody, responseBody } from '../outputBody.ts';
import type { HttpOptions } from './options.ts';

/** A response as the model's YAML reads it: a value, and the files in the response. */
export type Document = { value: unknown; bodies: readonly OutputBody[] };

/** A form is buffered before its parts are known. */
export const maxFormBytes = 32 * 1024 * 1024;

const accepted = {
  json: 'application/json',
  text: 'text/plain, */*',
  file: '*/*',
  multipart: 'multipart/form-data, */*',
} as const satisfies Record<HttpOptions['response_as'], string>;

export function acceptHeader({ response_as: as }: HttpOptions): Record<string, string> {
  return { accept: accepted[as] };
}

export function resultForm({ response_as: as }: HttpOptions, head: ResponseHead): BodyForm {
  if (as === 'file') return fileForm(head);
  return as === 'multipart' && formType(head) !== null ? 'bytes' : 'text';
}

/** Null when the response is not as the model's YAML describes it. `again` fetches it again. */
export async function documentOf(
  response: HttpResponse,
  { response_as: as }: HttpOptions,
  refetch?: (signal: AbortSignal) => Promise<HttpResponse>,
): Promise<Document | null> {
  if (as === 'text') return { value: response.bodyText, bodies: [] };
  if (as === 'file') {
    const body = responseBody(response, refetch);
    return { value: body.reference, bodies: [body] };
  }
  if (as === 'multipart') return await readForm(response);
  return response.json === undefined ? null : { value: response.json, bodies: [] };
}

function formType({ headers }: ResponseHead): string | null {
  const type = headers['content-type'] ?? '';
  return /^multipart\/form-data\b/i.test(type) ? type : null;
}

/** Parts by name: JSON where it parses, else text; files by reference. */
async function readForm(response: HttpResponse): Promise<Document | null> {
  const type = formType(response);
  if (type === null || response.bytes === undefined) return null;
  const form = await new Response(response.bytes, { headers: { 'content-type': type } })
    .formData()
    .catch(() => null);
  if (form === null) return null;
  const bodies: OutputBody[] = [];
  const valueOf = (part: string | File) => {
    if (typeof part === 'string') return parseJson(part) ?? part;
    const body = heldBody(part, part.type || null, part.name || null);
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
