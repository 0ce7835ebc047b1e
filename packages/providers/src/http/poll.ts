import type { TrustedRequest, TrustedResult } from '@holdfast/egress/trusted';
import type { HttpResponse } from '../connection.ts';
import type { Ended, Handle, Progress, Submission } from '../interface.ts';
import { failure, reportedFailure } from '../outcome/failure.ts';
import { responseText, withRaw } from '../outcome/raw.ts';
import { afterNoResponse, lost, retryAfterMs } from '../progress.ts';
import { acceptHeader, documentOf, maxFormBytes, resultForm } from './document.ts';
import { endOf, succeeded } from './ended.ts';
import { type HttpHandle, resultPathOf } from './handle.ts';
import { defaultMaxFailures, type HttpOptions } from './options.ts';
import { type Reading, runningOf, secretsOf } from './progress.ts';
import { codeIn, progressIn, reportIn, runStatusOf } from './reading.ts';
import { fill } from './template.ts';

export type Query = (path: string, request?: QueryOptions) => Promise<TrustedResult>;
type QueryOptions = Pick<TrustedRequest, 'headers' | 'json' | 'timeoutMs' | 'maxResponseBytes' | 'bodyAs'> & {
  method?: 'GET' | 'POST';
};

/** The server is busy or unavailable, which does not count against the run. */
const passing = [408, 425, 429, 502, 503, 504];
const maxPauseMs = 30_000;
const resultTimeoutMs = 120_000;

export async function queryRun(handle: HttpHandle, reading: Reading, query: Query): Promise<Progress> {
  const { options, submission } = reading;
  const running = runningOf(submission, handle, options);
  if (handle.poll === undefined) return running;
  const response = await query(handle.poll, pollRequest(handle, reading));
  if (!response.ok) return afterNoResponse(response, running);
  return (await readPoll(response, handle, reading, query)) ?? unclear(response, handle, reading);
}

/** Null when the response is unclear. Fetches the result where it has its own URL. */
export async function readPoll(
  response: HttpResponse,
  handle: HttpHandle,
  reading: Reading,
  query: Query,
): Promise<Progress | null> {
  const { options, submission } = reading;
  const runStatus = runStatusOf(response, options);
  if (runStatus === 'unknown') return null;
  if (runStatus === 'lost') return lostRun(response, reading);
  if (runStatus === 'running')
    return { ...runningOf(submission, handle, options), ...progressIn(response.json, options) };
  if (options.result) return await readResult(response, runStatus, handle, reading, query);
  if (runStatus === 'failed') return failureFrom([response], reading);
  const refetch = async () => requireSuccess(await query(handle.poll ?? '', pollRequest(handle, reading)));
  return await successFrom(response, reading, refetch);
}

/** Polls again after an unclear response, unless there were too many in a row. */
export function unclear(response: HttpResponse, handle: HttpHandle, reading: Reading): Progress {
  const { options, submission } = reading;
  const running = runningOf(submission, handle, options);
  if (passing.includes(response.status)) {
    return { ...running, pollAfterMs: Math.max(running.pollAfterMs, retryAfterMs(response.headers, 0)) };
  }
  const failures = Number(handle.failures ?? 0) + 1;
  if (failures < (options.poll?.max_failures ?? defaultMaxFailures)) {
    const pauseMs = Math.min(running.pollAfterMs * 2 ** (failures - 1), maxPauseMs);
    const counted = { ...running.handle, failures: String(failures) };
    return { ...running, handle: counted, pollAfterMs: Math.max(running.pollAfterMs, pauseMs) };
  }
  return {
    state: 'ended',
    outcome: withRaw(failure('GENERATION_FAILED'), responseText(response), secretsOf(reading)),
    alert: `the connection returned ${response.status} to ${failures} polls of a run in a row, without its status: check \`poll\`, \`status\` and \`response_as\` of the model's options`,
    ...(response.status >= 500 && { isTheirFault: true }),
  };
}

async function readResult(
  response: HttpResponse,
  runStatus: 'done' | 'failed',
  handle: Handle,
  reading: Reading,
  query: Query,
): Promise<Progress | null> {
  const { options, submission, connection } = reading;
  const path = resultPathOf(response, handle, options, submission, connection);
  const request = resultRequest(options);
  const result = path === null ? null : await query(path, runStatus === 'done' ? request : {});
  if (runStatus === 'failed') return failureFrom(result?.ok ? [result, response] : [response], reading);
  if (path === null || result === null) return unusableResultUrl(response, reading);
  if (!result.ok) return afterNoResponse(result, runningOf(submission, handle, options));
  if (result.status === 404 || result.status === 410) return lostRun(result, reading);
  const isThere = result.status >= 200 && result.status < 300;
  const refetch = async () => requireSuccess(await query(path, request));
  return (
    (isThere ? await successFrom(result, reading, refetch) : null) ??
    unclear(result, handle as HttpHandle, reading)
  );
}

async function successFrom(
  response: HttpResponse,
  reading: Reading,
  refetch: () => Promise<HttpResponse>,
): Promise<Ended | null> {
  const { options, submission } = reading;
  const document = await documentOf(response, options, refetch);
  if (document === null) return null;
  const reported = { ...document, headers: response.headers };
  return succeeded(reported, options, submission.mapping, secretsOf(reading));
}

function failureFrom(responses: HttpResponse[], reading: Reading): Ended {
  const { options, submission } = reading;
  const [first] = responses;
  const reports = responses.map(({ json }) => reportIn(json, options));
  const named = responses.map(({ json }) => codeIn(json, options)).find((code) => code !== undefined);
  const report = {
    text: reports.find(({ text }) => text !== '')?.text ?? first?.bodyText ?? '',
    fields: reports.flatMap(({ fields }) => fields),
    code: named ?? options.errors.statuses[first?.status ?? 0] ?? 'GENERATION_FAILED',
  };
  const said = responses.map(responseText).join('\n');
  const outcome = reportedFailure(report, submission.mapping, secretsOf(reading), said);
  return endOf(first?.json, options, outcome);
}

export function lostRun(response: HttpResponse, reading: Reading): Ended {
  return { state: 'ended', outcome: withRaw(lost, responseText(response), secretsOf(reading)) };
}

function unusableResultUrl(response: HttpResponse, reading: Reading): Ended {
  return {
    state: 'ended',
    outcome: withRaw(failure('GENERATION_FAILED'), responseText(response), secretsOf(reading)),
    alert:
      "a run has ended, and the response names no URL of the connection's own origin to read its result at",
  };
}

function pollRequest(handle: HttpHandle, { options, submission }: Reading): QueryOptions {
  return { ...pollCall(handle, options, submission), ...statusRequest(options) };
}

/** The method of a poll and its body, if it has one. */
export function pollCall(
  { externalId: id }: HttpHandle,
  { poll }: HttpOptions,
  { token, providerModel: model }: Submission,
): QueryOptions {
  if (poll?.method !== 'POST') return {};
  return { method: 'POST', ...(poll.body !== undefined && { json: fill(poll.body, { id, token, model }) }) };
}

/** The response to a poll may be the result itself. */
function statusRequest(options: HttpOptions): QueryOptions {
  if (options.result || options.status?.at !== undefined) return {};
  const { timeoutMs: _whole, ...request } = resultRequest(options);
  const isEnd = (status: number) => runStatusOf({ status, json: null }, options) === 'done';
  return {
    ...request,
    ...(options.response_as === 'file' && { timeoutMs: resultTimeoutMs }),
    bodyAs: (head) => (isEnd(head.status) ? resultForm(options, head) : 'text'),
  };
}

function resultRequest(options: HttpOptions): QueryOptions {
  return {
    headers: acceptHeader(options),
    timeoutMs: resultTimeoutMs,
    bodyAs: (head) => (head.status >= 200 && head.status < 300 ? resultForm(options, head) : 'text'),
    ...(options.response_as === 'multipart' && { maxResponseBytes: maxFormBytes }),
  };
}

function requireSuccess(result: TrustedResult): HttpResponse {
  if (result.ok && result.status >= 200 && result.status < 300) return result;
  throw new Error(result.ok ? `requireSuccess ${result.status}` : result.message);
}
