import type { BodyForm, ResponseHead, TrustedResult } from '@holdfast/egress/trusted';
import type { Connection, HttpResponse } from '../connection.ts';
import { awaitsCallback, type Ended, type Handle, type Progress, type Submission } from '../interface.ts';
import { failure } from '../outcome/failure.ts';
import { responseText, type Secrets, withRaw } from '../outcome/raw.ts';
import { networkProgress } from '../progress.ts';
import { documentOf, resultForm } from './document.ts';
import { endedBy } from './ended.ts';
import { type HttpHandle, handleOf, idIn } from './handle.ts';
import type { HttpOptions } from './options.ts';
import { errorText, progressIn, runStatusIn } from './reading.ts';
import { readRefusal } from './refusal.ts';

/** Slow, because these polls only cover a lost callback. */
const callbackPollAfterMs = 15_000;

export type Reading = { options: HttpOptions; submission: Submission; connection: Connection };

export function secretsOf({ connection }: Pick<Reading, 'connection'>): Secrets {
  return connection;
}

/** `elapsedS`: how long the submit took. */
export async function readSubmit(
  result: TrustedResult,
  reading: Reading,
  elapsedS: number,
): Promise<Progress> {
  if (!result.ok) return networkProgress(result);
  const { options, submission } = reading;
  const secrets = secretsOf(reading);
  if (!isSuccess(result.status, options)) return readRefusal(result, options, submission.mapping, secrets);
  if (isAccepted(result, reading)) return accepted(result, reading);
  const document = await documentOf(result, options);
  const { headers } = result;
  const ended = document && endedBy({ ...document, headers }, options, submission.mapping, secrets, elapsedS);
  return ended ?? unreadable(result, reading);
}

export function submitForm({ options, submission }: Pick<Reading, 'options' | 'submission'>) {
  return (head: ResponseHead): BodyForm => {
    const isAtOnce =
      isSuccess(head.status, options) && head.status !== 202 && !isLater({ options, submission });
    return isAtOnce ? resultForm(options, head) : 'text';
  };
}

export function unreadable(response: HttpResponse, reading: Reading): Ended {
  const { options } = reading;
  const outcome = failure('GENERATION_FAILED', 'The model gave no usable output.');
  const type = response.headers['content-type'];
  const isOther = options.response_as === 'json' && response.json === undefined && type !== undefined;
  return {
    state: 'ended',
    outcome: withRaw(outcome, responseText(response), secretsOf(reading)),
    ...(isOther && {
      alert: `the connection returned ${type.slice(0, 100)}, not JSON: set response_as of the model's options to text, file or multipart`,
    }),
  };
}

export function isSuccess(status: number, { success }: HttpOptions): boolean {
  return success?.includes(status) ?? (status >= 200 && status < 300);
}

export function runningOf(
  submission: Submission,
  handle: Handle,
  options: HttpOptions | undefined,
): Extract<Progress, { state: 'running' }> {
  const by = awaitsCallback(submission) ? 'callback' : 'poll';
  const pollAfterMs =
    by === 'callback' ? callbackPollAfterMs : Math.round((options?.poll?.every_s ?? 2) * 1000);
  const { failures: _over, ...kept } = handle as HttpHandle;
  return { state: 'running', handle: kept, by, pollAfterMs };
}

function isAccepted({ status, json }: HttpResponse, { options, submission }: Reading): boolean {
  const runStatus = runStatusIn(json, options);
  // An ended run whose result is at a URL of its own is polled.
  if (runStatus !== 'unknown') return runStatus === 'running' || options.result !== undefined;
  if (errorText(json, options) !== '') return false;
  return status === 202 || isLater({ options, submission });
}

function isLater({ options, submission }: Pick<Reading, 'options' | 'submission'>): boolean {
  return awaitsCallback(submission) || submission.mode === 'poll' || options.poll?.events !== undefined;
}

function accepted(response: HttpResponse, reading: Reading): Progress {
  const { options, submission, connection } = reading;
  // Without its id a run cannot be polled.
  if (options.id !== undefined && idIn(response.json, options) === undefined)
    return unreadable(response, reading);
  const handle = handleOf(response, options, submission, connection);
  if (handle.poll === undefined && !awaitsCallback(submission)) {
    const outcome = withRaw(failure('GENERATION_FAILED'), responseText(response), secretsOf(reading));
    return {
      state: 'ended',
      outcome,
      alert: "a run was accepted, and the response names no URL of the connection's own host to poll",
    };
  }
  return { ...runningOf(submission, handle, options), ...progressIn(response.json, options) };
}
