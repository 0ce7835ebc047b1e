import type { TrustedRequest, TrustedResult } from '@holdfast/egress/trusted';
import type { HttpResponse } from '../connection.ts';
import type { Ended, Handle, Progress } from '../interface.ts';
import { failure, reportedFailure } from '../outcome/failure.ts';
import { responseText, withRaw } from '../outcome/raw.ts';
import { lost, retryAfterMs, unanswered } from '../progress.ts';
import { acceptHeader, documentOf, maxFormBytes, resultForm } from './document.ts';
import { endOf, succeeded } from './ended.ts';
import { type HttpHandle, resultPathOf } from './handle.ts';
import { defaultMaxFailures, type HttpOptions } from './options.ts';
import { type Reading, runningOf, secretsOf } from './progress.ts';
import { codeIn, progressIn, reportIn, standingOf } from './reading.ts';

export type Ask = (path: string, request?: AskOptions) => Promise<TrustedResult>;
type AskOptions = Pick<TrustedRequest, 'headers' | 'timeoutMs' | 'maxResponseBytes' | 'bodyAs'>;

/** The server is busy or unavailable, which does not count against the run. */
const passing = [408, 425, 429, 502, 503, 504];
const maxPauseMs = 30_000;
const resultTimeoutMs = 120_000;

export async function queryRun(handle: HttpHandle, reading: Reading, ask: Ask): Promise<Progress> {
  const { options, submission } = reading;
  const running = runningOf(submission, handle, options);
  if (handle.poll === undefined) return running;
  const answer = await ask(handle.poll, statusRequest(options));
  if (!answer.ok) return unanswered(answer, running);
  return (await readAsked(answer, handle, reading, ask)) ?? unclear(answer, handle, reading);
}

/** Null when the response is unclear. Fetches the result where it has its own URL. */
export async function readAsked(
  answer: HttpResponse,
  handle: HttpHandle,
  reading: Reading,
  ask: Ask,
): Promise<Progress | null> {
  const { options, submission } = reading;
  const standing = standingOf(answer, options);
  if (standing === 'unknown') return null;
  if (standing === 'lost') return lostBy(answer, reading);
  if (standing === 'running')
    return { ...runningOf(submission, handle, options), ...progressIn(answer.json, options) };
  if (options.result) return await readResult(answer, standing, handle, reading, ask);
  if (standing === 'failed') return failedBy([answer], reading);
  const again = async () => answered(await ask(handle.poll ?? '', statusRequest(options)));
  return await succeededBy(answer, reading, again);
}

/** Polls again after an unclear response, unless there were too many in a row. */
export function unclear(answer: HttpResponse, handle: HttpHandle, reading: Reading): Progress {
  const { options, submission } = reading;
  const running = runningOf(submission, handle, options);
  if (passing.includes(answer.status)) {
    return { ...running, pollAfterMs: Math.max(running.pollAfterMs, retryAfterMs(answer.headers, 0)) };
  }
  const failures = Number(handle.failures ?? 0) + 1;
  if (failures < (options.poll?.max_failures ?? defaultMaxFailures)) {
    const pauseMs = Math.min(running.pollAfterMs * 2 ** (failures - 1), maxPauseMs);
    const counted = { ...running.handle, failures: String(failures) };
    return { ...running, handle: counted, pollAfterMs: Math.max(running.pollAfterMs, pauseMs) };
  }
  return {
    state: 'ended',
    outcome: withRaw(failure('GENERATION_FAILED'), responseText(answer), secretsOf(reading)),
    alert: `the connection returned ${answer.status} to ${failures} polls of a run in a row, without its status: check \`poll\`, \`status\` and \`response_as\` of the model's options`,
    ...(answer.status >= 500 && { isTheirFault: true }),
  };
}

async function readResult(
  answer: HttpResponse,
  standing: 'done' | 'failed',
  handle: Handle,
  reading: Reading,
  ask: Ask,
): Promise<Progress | null> {
  const { options, submission, connection } = reading;
  const path = resultPathOf(answer, handle, options, submission, connection);
  const request = resultRequest(options);
  const result = path === null ? null : await ask(path, standing === 'done' ? request : {});
  if (standing === 'failed') return failedBy(result?.ok ? [result, answer] : [answer], reading);
  if (path === null || result === null) return elsewhere(answer, reading);
  if (!result.ok) return unanswered(result, runningOf(submission, handle, options));
  if (result.status === 404 || result.status === 410) return lostBy(result, reading);
  const isThere = result.status >= 200 && result.status < 300;
  const again = async () => answered(await ask(path, request));
  return (
    (isThere ? await succeededBy(result, reading, again) : null) ??
    unclear(result, handle as HttpHandle, reading)
  );
}

async function succeededBy(
  answer: HttpResponse,
  reading: Reading,
  again: () => Promise<HttpResponse>,
): Promise<Ended | null> {
  const { options, submission } = reading;
  const document = await documentOf(answer, options, again);
  if (document === null) return null;
  const told = { ...document, headers: answer.headers };
  return succeeded(told, options, submission.mapping, secretsOf(reading));
}

function failedBy(answers: HttpResponse[], reading: Reading): Ended {
  const { options, submission } = reading;
  const [first] = answers;
  const reports = answers.map(({ json }) => reportIn(json, options));
  const named = answers.map(({ json }) => codeIn(json, options)).find((code) => code !== undefined);
  const report = {
    text: reports.find(({ text }) => text !== '')?.text ?? first?.bodyText ?? '',
    fields: reports.flatMap(({ fields }) => fields),
    code: named ?? options.errors.statuses[first?.status ?? 0] ?? 'GENERATION_FAILED',
  };
  const said = answers.map(responseText).join('\n');
  const outcome = reportedFailure(report, submission.mapping, secretsOf(reading), said);
  return endOf(first?.json, options, outcome);
}

export function lostBy(answer: HttpResponse, reading: Reading): Ended {
  return { state: 'ended', outcome: withRaw(lost, responseText(answer), secretsOf(reading)) };
}

function elsewhere(answer: HttpResponse, reading: Reading): Ended {
  return {
    state: 'ended',
    outcome: withRaw(failure('GENERATION_FAILED'), responseText(answer), secretsOf(reading)),
    alert:
      "a run has ended, and the response names no URL of the connection's own origin to read its result at",
  };
}

/** The response to a poll may be the result itself. */
function statusRequest(options: HttpOptions): AskOptions {
  if (options.result || options.status?.at !== undefined) return {};
  const { timeoutMs: _whole, ...request } = resultRequest(options);
  const isEnd = (status: number) => standingOf({ status, json: null }, options) === 'done';
  return {
    ...request,
    ...(options.response_as === 'file' && { timeoutMs: resultTimeoutMs }),
    bodyAs: (head) => (isEnd(head.status) ? resultForm(options, head) : 'text'),
  };
}

function resultRequest(options: HttpOptions): AskOptions {
  return {
    headers: acceptHeader(options),
    timeoutMs: resultTimeoutMs,
    bodyAs: (head) => (head.status >= 200 && head.status < 300 ? resultForm(options, head) : 'text'),
    ...(options.response_as === 'multipart' && { maxResponseBytes: maxFormBytes }),
  };
}

function answered(result: TrustedResult): HttpResponse {
  if (result.ok && result.status >= 200 && result.status < 300) return result;
  throw new Error(result.ok ? `answered ${result.status}` : result.message);
}
