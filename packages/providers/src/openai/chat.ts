import { parseJson } from '@holdfast/egress/response';
import type { TrustedHttp, TrustedResult } from '@holdfast/egress/trusted';
import { isObject } from '@holdfast/kit/jsonSchema/values';
import type { Connection } from '../connection.ts';
import { brokenOff, isEventStream, readEvents } from '../eventStream.ts';
import type { OutputSink, Progress, Submission } from '../interface.ts';
import { reportedTokens } from '../outcome/success.ts';
import { networkProgress } from '../progress.ts';
import { createShownText } from '../shownText.ts';
import { createCompletion } from './completion.ts';
import { readOutcome, tokens } from './outcome.ts';
import { readRefusal, streamedError } from './refusal.ts';
import { requestOf } from './request.ts';

/** A chat completion that is shown while it comes. A server that does not stream is read as without a sink. */
export async function streamChat(
  http: TrustedHttp,
  connection: Connection,
  submission: Submission,
  sink: OutputSink,
  signal: AbortSignal,
): Promise<Progress> {
  const { mapping } = submission;
  const startedMs = performance.now();
  const result = await requestStream(http, submission, signal);
  if (!result.ok) return networkProgress(result);
  if (result.status >= 300) return readRefusal(result, submission, connection);
  const { stream, ...response } = result;
  const text = createShownText(sink);
  const end = async (whole: typeof response): Promise<Progress> => {
    const elapsedS = (performance.now() - startedMs) / 1000;
    const ended = readOutcome(whole, 'chat', mapping, elapsedS, connection);
    await text.showRest(ended.outcome);
    return ended;
  };
  if (stream === undefined) return await end(response);

  const isContent = [undefined, '/choices/0/message/content'].includes(mapping.output.pointer);
  const completion = createCompletion();
  let isDone = false;
  let error: Progress | null = null;
  let isShown = false;
  const over = await readEvents(stream, async ({ name, data }) => {
    isDone = data.trim() === '[DONE]';
    if (isDone) return true;
    const chunk = parseJson(data);
    error = streamedError(name, chunk ?? data, submission, connection, isShown);
    if (error !== null || !isObject(chunk)) return error !== null;
    const piece = completion.add(chunk);
    const usage = reportedTokens(chunk, mapping, tokens);
    if (usage !== null) sink.usage(usage);
    if (!isContent || piece === '') return false;
    isShown = true;
    await text.show(piece);
    return false;
  });
  if (error !== null) return error;
  const isComplete = isDone || (over.by !== 'limit' && completion.isFinished());
  if (!isComplete) return brokenOff(over, signal);
  const json = completion.document();
  return await end({ ...response, json, bodyText: JSON.stringify(json) });
}

/** Servers that do not know `stream_options` refuse it by its name: the request was not accepted, and is sent without it. */
async function requestStream(
  http: TrustedHttp,
  submission: Submission,
  signal: AbortSignal,
): Promise<TrustedResult> {
  const { path, json } = requestOf(submission);
  const { timeoutMs } = submission;
  const send = (body: unknown) =>
    http.request('POST', path, {
      json: body,
      headers: { accept: 'text/event-stream, application/json' },
      bodyAs: ({ status, headers }) => (status < 300 && isEventStream(headers) ? 'stream' : 'text'),
      timeoutMs,
      signal,
    });
  const result = await send(json);
  const isRefused = result.ok && [400, 422].includes(result.status);
  if (!isRefused || !result.bodyText.includes('stream_options')) return result;
  const { stream_options: _options, ...rest } = json as Record<string, unknown>;
  return await send(rest);
}
