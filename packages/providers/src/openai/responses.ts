import type { TrustedHttp, TrustedResult } from '@holdfast/egress/trusted';
import type { Connection } from '../connection.ts';
import type { Handle, Progress, Submission } from '../interface.ts';
import { lost, networkProgress, unanswered } from '../networkProgress.ts';
import { failure } from '../outcome/failure.ts';
import { answerText, withRaw } from '../outcome/raw.ts';
import { readRefusal } from './refusal.ts';
import { requestOf } from './request.ts';
import { readResponse, responseOutcome } from './response.ts';

const acceptTimeoutMs = 60_000;
const pollAfterMs = 2000;

/** A run of `POST /responses` in background mode: accepted with an id, asked about until it has ended. */
export async function submitResponse(
  http: TrustedHttp,
  connection: Connection,
  submission: Submission,
  signal: AbortSignal,
): Promise<Progress> {
  const { path, ...request } = requestOf(submission);
  const timeoutMs = Math.min(submission.timeoutMs, acceptTimeoutMs);
  const result = await http.request('POST', path, { ...request, timeoutMs, signal });
  const isMissing = result.ok && result.status === 404 && !result.bodyText.includes('model');
  const progress = readResult(result, connection, submission);
  if (!isMissing || progress.state !== 'refused') return progress;
  return { ...progress, alert: `the connection does not offer ${path} (it answers 404)` };
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
    return { state: 'ended', outcome: withRaw(lost, answerText(result), connection) };
  const running: Progress = { state: 'running', handle, by: 'poll', pollAfterMs };
  if (!result.ok) return unanswered(result, running);
  const response = result.status < 300 ? readResponse(result.json) : null;
  const outcome = response && responseOutcome(response, submission.mapping, connection, result.headers);
  return outcome ? { state: 'ended', outcome } : running;
}

/** Where a response is read, below the base URL. */
export function responsePath({ externalId }: Handle): string {
  return `/responses/${encodeURIComponent(externalId)}`;
}

function readResult(result: TrustedResult, connection: Connection, submission: Submission): Progress {
  if (!result.ok) return networkProgress(result);
  if (result.status >= 300) return readRefusal(result, submission, connection);
  const response = readResponse(result.json);
  if (response === null) {
    const outcome = failure('GENERATION_FAILED', 'The model gave an answer that could not be read.');
    return { state: 'ended', outcome: withRaw(outcome, answerText(result), connection) };
  }
  const outcome = responseOutcome(response, submission.mapping, connection, result.headers);
  if (outcome) return { state: 'ended', outcome };
  return { state: 'running', handle: { externalId: response.id }, by: 'poll', pollAfterMs };
}
