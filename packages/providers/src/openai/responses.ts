import type { IncomingHttpHeaders } from 'node:http';
import type { ExecutionErrorCode } from '@holdfast/domain/errors';
import type { Outcome, OutcomeMapping } from '@holdfast/domain/outcome';
import type { TrustedHttp, TrustedResult } from '@holdfast/egress/trusted';
import { z } from 'zod';
import type { Connection } from '../connection.ts';
import { type Handle, maxIdLength, type Progress, type Submission } from '../interface.ts';
import { failure, reportedFailure } from '../outcome/failure.ts';
import { finishReason } from '../outcome/finishReason.ts';
import { responseText, type Secrets, withRaw } from '../outcome/raw.ts';
import { outcomeFromResponse } from '../outcome/success.ts';
import { afterNoResponse, lost, networkProgress } from '../progress.ts';
import { tokens } from './outcome.ts';
import { readRefusal } from './refusal.ts';
import { requestOf } from './request.ts';

const acceptTimeoutMs = 60_000;
export const pollAfterMs = 2000;

/** A background run of `POST /responses`, polled until it ends. */
export async function submitResponse(
  http: TrustedHttp,
  connection: Connection,
  submission: Submission,
  signal: AbortSignal,
): Promise<Progress> {
  const { path, ...request } = requestOf(submission);
  const timeoutMs = Math.min(submission.timeoutMs, acceptTimeoutMs);
  const result = await http.request('POST', path, { ...request, timeoutMs, signal });
  return readSubmit(result, connection, submission);
}

export function readSubmit(result: TrustedResult, connection: Connection, submission: Submission): Progress {
  const isMissing = result.ok && result.status === 404 && !result.bodyText.includes('model');
  const progress = readResult(result, connection, submission);
  if (!isMissing || progress.state !== 'refused') return progress;
  return {
    ...progress,
    alert: `the connection does not offer ${requestOf(submission).path} (it returns 404)`,
  };
}

export async function pollResponse(
  http: TrustedHttp,
  connection: Connection,
  submission: Submission,
  handle: Handle,
  signal: AbortSignal,
): Promise<Progress> {
  const result = await http.request('GET', responsePath(handle), { timeoutMs: 30_000, signal });
  if (result.ok && result.status === 404)
    return { state: 'ended', outcome: withRaw(lost, responseText(result), connection) };
  const running: Progress = { state: 'running', handle, by: 'poll', pollAfterMs };
  if (!result.ok) return afterNoResponse(result, running);
  const response = result.status < 300 ? readResponse(result.json) : null;
  const outcome = response && responseOutcome(response, submission.mapping, connection, result.headers);
  return outcome ? { state: 'ended', outcome } : running;
}

export async function cancelResponse(http: TrustedHttp, handle: Handle, signal?: AbortSignal): Promise<void> {
  const timeoutMs = 10_000;
  await http.request('POST', `${responsePath(handle)}/cancel`, { timeoutMs, ...(signal && { signal }) });
}

export function responsePath({ externalId }: Handle): string {
  return `/responses/${encodeURIComponent(externalId)}`;
}

function readResult(result: TrustedResult, connection: Connection, submission: Submission): Progress {
  if (!result.ok) return networkProgress(result);
  if (result.status >= 300) return readRefusal(result, submission, connection);
  const response = readResponse(result.json);
  if (response === null) {
    const outcome = failure('GENERATION_FAILED', 'The response of the model could not be read.');
    return { state: 'ended', outcome: withRaw(outcome, responseText(result), connection) };
  }
  const outcome = responseOutcome(response, submission.mapping, connection, result.headers);
  if (outcome) return { state: 'ended', outcome };
  return { state: 'running', handle: { externalId: response.id }, by: 'poll', pollAfterMs };
}

const part = z.looseObject({ type: z.string(), text: z.string().optional() });
const item = z.looseObject({ type: z.string().optional(), content: z.array(part).nullish().catch(null) });
const response = z.looseObject({
  id: z.string().min(1).max(maxIdLength),
  status: z.enum(['queued', 'in_progress', 'completed', 'failed', 'incomplete', 'cancelled']),
  output: z.array(item).nullish(),
  error: z.looseObject({ code: z.string().nullish(), message: z.string().nullish() }).nullish(),
  incomplete_details: z.looseObject({ reason: z.string().nullish() }).nullish(),
});

export type Response = z.infer<typeof response>;

export function readResponse(json: unknown): Response | null {
  return response.safeParse(json).data ?? null;
}

/** Null while it is running. The model's pointers find the text at `/output_text`. */
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
    // As with chat, a text cut off by the token limit is a result.
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
  // As with chat, reasoning up to the token limit and calls of tools are a result without a text.
  const isSilent = (of.output ?? []).some(({ type }) => type === 'reasoning' || type === 'function_call');
  const document = { ...of, ...((texts.length > 0 || isSilent) && { output_text: texts.join('') }) };
  const outcome = outcomeFromResponse(
    document,
    mapping,
    { output: '/output_text', ...tokens },
    null,
    headers,
  );
  return outcome.ok ? { ...outcome, ...finishReason(reasonOf(of)) } : outcome;
}

function reasonOf({ status, output, incomplete_details: incomplete }: Response): string | null | undefined {
  if (status === 'incomplete') return incomplete?.reason;
  return (output ?? []).some(({ type }) => type === 'function_call') ? 'function_call' : status;
}

const formats =
  /image_format|media_type|base64_image|image_parse|invalid_image$|invalid_image_mode|empty_image/;

function codeOf(code: string, message: string): ExecutionErrorCode {
  if (/policy|moderation|safety/.test(code)) return 'CONTENT_MODERATION_REJECTED';
  if (code === 'invalid_prompt')
    return /policy|safety/i.test(message) ? 'CONTENT_MODERATION_REJECTED' : 'INPUT_VALIDATION_ERROR';
  if (code === 'rate_limit_exceeded') return 'MODEL_OVERLOADED';
  if (formats.test(code)) return 'FILE_FORMAT_UNSUPPORTED';
  return /image/.test(code) ? 'INPUT_VALIDATION_ERROR' : 'GENERATION_FAILED';
}
