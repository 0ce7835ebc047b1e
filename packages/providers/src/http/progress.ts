import type { TrustedResult } from '@holdfast/egress/trusted';
import type { Answer, Connection } from '../connection.ts';
import type { Handle, Progress, Submission } from '../interface.ts';
import { networkProgress } from '../networkProgress.ts';
import { failure } from '../outcome/failure.ts';
import { answerText, withRaw } from '../outcome/raw.ts';
import type { Secrets } from '../outcome/scrub.ts';
import { isCalled } from './call.ts';
import { endedBy } from './ended.ts';
import { handleOf } from './handle.ts';
import type { HttpOptions } from './options.ts';
import { errorText, logsIn, standingIn, successOf, tellingIn } from './reading.ts';
import { readRefusal } from './refusal.ts';

/** A run that calls back is asked about only because callbacks can be lost. */
const calledPollAfterMs = 15_000;

export type Reading = { options: HttpOptions; submission: Submission; connection: Connection };

export function secretsOf({ connection, submission }: Omit<Reading, 'options'>): Secrets {
  return { ...connection, providerModel: submission.providerModel };
}

/** What came of a submit. `elapsedS`: how long it took. */
export function readSubmit(result: TrustedResult, reading: Reading, elapsedS: number): Progress {
  if (!result.ok) return networkProgress(result);
  const { options, submission } = reading;
  const { status, json } = result;
  const secrets = secretsOf(reading);
  const isSuccess = options.success?.includes(status) ?? (status >= 200 && status < 300);
  if (!isSuccess) return readRefusal(result, options, submission.mapping, secrets);
  if (isAccepted(result, reading)) return accepted(result, reading);
  const ended = endedBy(json, options, submission.mapping, secrets, elapsedS);
  if (ended !== null) return ended;
  const outcome = failure('GENERATION_FAILED', 'The model gave no usable output.');
  return { state: 'ended', outcome: withRaw(outcome, answerText(result), secrets) };
}

/** What an answer to a question about a run says; null when it says nothing of it. */
export function readAsked(answer: Answer, handle: Handle, reading: Reading): Progress | null {
  const { options, submission } = reading;
  const { status, json } = answer;
  if (status < 200 || status > 299) return null;
  const secrets = secretsOf(reading);
  const isWaiting = status === 202 && standingIn(json, options) === 'unknown';
  if (json === undefined) return isWaiting ? runningOf(submission, handle, options) : null;
  const ended = isWaiting ? null : endedBy(json, options, submission.mapping, secrets);
  if (ended !== null) return ended;
  const telling = tellingIn(json, options);
  if (isWaiting || options.status !== undefined)
    return { ...runningOf(submission, handle, options), ...telling };
  // Without a status, 200 is the end.
  const logs = logsIn(json, options);
  const outcome = successOf(json, options, submission.mapping, null, secrets);
  return { state: 'ended', outcome, ...(logs !== undefined && { logs }) };
}

export function runningOf(
  submission: Submission,
  handle: Handle,
  options: HttpOptions | undefined,
): Extract<Progress, { state: 'running' }> {
  const by = isCalled(submission) ? 'callback' : 'poll';
  const pollAfterMs =
    by === 'callback' ? calledPollAfterMs : Math.round((options?.poll?.every_s ?? 2) * 1000);
  return { state: 'running', handle, by, pollAfterMs };
}

function isAccepted({ status, json }: Answer, { options, submission }: Reading): boolean {
  const standing = standingIn(json, options);
  if (standing !== 'unknown') return standing === 'running';
  if (errorText(json, options) !== '') return false;
  return status === 202 || isCalled(submission) || submission.mode === 'poll';
}

function accepted(answer: Answer, reading: Reading): Progress {
  const { options, submission, connection } = reading;
  const handle = handleOf(answer, options, submission, connection);
  if (handle.poll === undefined && !isCalled(submission)) {
    const outcome = withRaw(failure('GENERATION_FAILED'), answerText(answer), secretsOf(reading));
    return {
      state: 'ended',
      outcome,
      alert: "a run was accepted, and its answer names no URL of the connection's own host to ask at",
    };
  }
  return { ...runningOf(submission, handle, options), ...tellingIn(answer.json, options) };
}
