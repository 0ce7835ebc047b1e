import type { IncomingHttpHeaders } from 'node:http';
import type { ExecutionErrorCode } from '@holdfast/domain/errors';
import type { OutcomeMapping } from '@holdfast/domain/modelDefinition';
import type { Outcome } from '@holdfast/domain/outcome';
import { z } from 'zod';
import { longestId } from '../interface.ts';
import { failure, reportedFailure } from '../outcome/failure.ts';
import { type Secrets, withRaw } from '../outcome/raw.ts';
import { outcomeFromAnswer } from '../outcome/success.ts';
import { tokens } from './answer.ts';

const part = z.looseObject({ type: z.string(), text: z.string().optional() });
const item = z.looseObject({ content: z.array(part).nullish().catch(null) });
const response = z.looseObject({
  id: z.string().min(1).max(longestId),
  status: z.enum(['queued', 'in_progress', 'completed', 'failed', 'incomplete', 'cancelled']),
  output: z.array(item).nullish(),
  error: z.looseObject({ code: z.string().nullish(), message: z.string().nullish() }).nullish(),
  incomplete_details: z.looseObject({ reason: z.string().nullish() }).nullish(),
});

/** A run at `/responses`. */
export type Response = z.infer<typeof response>;

/** A response object from an answer; null when it is none. */
export function readResponse(json: unknown): Response | null {
  return response.safeParse(json).data ?? null;
}

/** How a response ended; null while it has not. Its text is at `/output_text` for the model's pointers. */
export function responseOutcome(
  of: Response,
  mapping: OutcomeMapping,
  secrets: Secrets,
  headers: IncomingHttpHeaders,
): Outcome | null {
  const outcome = ends[of.status](of, mapping, secrets, headers);
  if (outcome === null || outcome.ok) return outcome;
  const { id, status, error, incomplete_details: incomplete, output } = of;
  return withRaw(
    outcome,
    JSON.stringify({ id, status, error, incomplete_details: incomplete, output }),
    secrets,
  );
}

type End = (
  of: Response,
  mapping: OutcomeMapping,
  secrets: Secrets,
  headers: IncomingHttpHeaders,
) => Outcome | null;

const ends: Record<Response['status'], End> = {
  queued: () => null,
  in_progress: () => null,
  completed: (of, mapping, _secrets, headers) => said(of, mapping, headers),
  incomplete(of, mapping, _secrets, headers) {
    if (of.incomplete_details?.reason === 'content_filter') return failure('CONTENT_MODERATION_REJECTED');
    // As with chat, what was said until the tokens ran out is the result, if it is anything.
    return said(of, mapping, headers);
  },
  failed({ error }, mapping, secrets) {
    const text = error?.message ?? '';
    return reportedFailure({ text, code: codeOf(error?.code ?? '', text) }, mapping, secrets);
  },
  cancelled: () => failure('GENERATION_FAILED', 'The run was stopped before it finished.'),
};

function said(of: Response, mapping: OutcomeMapping, headers: IncomingHttpHeaders): Outcome {
  const parts = (of.output ?? []).flatMap(({ content }) => content ?? []);
  if (parts.some(({ type }) => type === 'refusal')) return failure('CONTENT_MODERATION_REJECTED');
  const texts = parts.flatMap(({ type, text }) => (type === 'output_text' ? [text ?? ''] : []));
  const answer = { ...of, ...(texts.length > 0 && { output_text: texts.join('') }) };
  return outcomeFromAnswer(answer, mapping, { output: '/output_text', ...tokens }, null, headers);
}

const formats =
  /image_format|media_type|base64_image|image_parse|invalid_image$|invalid_image_mode|empty_image/;

/** What the documented codes of a failed response mean. */
function codeOf(code: string, message: string): ExecutionErrorCode {
  if (/policy|moderation|safety/.test(code)) return 'CONTENT_MODERATION_REJECTED';
  if (code === 'invalid_prompt')
    return /policy|safety/i.test(message) ? 'CONTENT_MODERATION_REJECTED' : 'INPUT_VALIDATION_ERROR';
  if (code === 'rate_limit_exceeded') return 'MODEL_OVERLOADED';
  if (formats.test(code)) return 'FILE_FORMAT_UNSUPPORTED';
  return /image/.test(code) ? 'INPUT_VALIDATION_ERROR' : 'GENERATION_FAILED';
}
