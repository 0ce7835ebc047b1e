import { parseJson } from '@holdfast/egress/response';
import type { TrustedHttp } from '@holdfast/egress/trusted';
import { isObject } from '@holdfast/kit/jsonSchema/values';
import type { Connection, HttpResponse } from '../connection.ts';
import { brokenOff, isEventStream, readEvents } from '../eventStream.ts';
import type { OutputSink, Progress, Submission } from '../interface.ts';
import { networkProgress } from '../progress.ts';
import { createShownOutput } from '../shownOutput.ts';
import { readOutcome } from './outcome.ts';
import { readRefusal, streamedError } from './refusal.ts';
import { requestOf } from './request.ts';

type Images = { submission: Submission; endpoint: 'images' | 'image_edits'; sink: OutputSink };

/** Images that are shown while they get sharper. A server that does not stream is read as without a sink. */
export async function streamImages(
  http: TrustedHttp,
  connection: Connection,
  { submission, endpoint, sink }: Images,
  signal: AbortSignal,
): Promise<Progress> {
  const { mapping, timeoutMs, input } = submission;
  const { path, ...request } = requestOf(submission);
  const startedMs = performance.now();
  const result = await http.request('POST', path, {
    ...request,
    headers: { accept: 'text/event-stream, application/json' },
    bodyAs: ({ status, headers }) => (status < 300 && isEventStream(headers) ? 'stream' : 'text'),
    timeoutMs,
    signal,
  });
  if (!result.ok) return networkProgress(result);
  if (result.status >= 300) return readRefusal(result, submission, connection);
  const end = (whole: HttpResponse) =>
    readOutcome(whole, endpoint, mapping, (performance.now() - startedMs) / 1000, connection);
  const { stream, ...response } = result;
  if (stream === undefined) return end(response);

  const shown = createShownOutput(sink);
  const wanted = Number(input['n'] ?? 1);
  const data: unknown[] = [];
  let usage: unknown;
  let isShown = false;
  let error: Progress | null = null;
  const over = await readEvents(stream, async ({ name, data: text }) => {
    if (text.trim() === '[DONE]') return false;
    const event = parseJson(text);
    error = streamedError(name, event ?? text, submission, connection, isShown);
    if (error !== null || !isObject(event)) return error !== null;
    const type = typeof event['type'] === 'string' ? event['type'] : name;
    if (type.endsWith('.partial_image')) {
      isShown = true;
      await shown.show(event);
    }
    if (!type.endsWith('.completed')) return false;
    data.push(event);
    usage = event['usage'] ?? usage;
    return data.length === wanted;
  });
  if (error !== null) return error;
  // A server may make fewer images than it was asked for, and then ends the stream itself.
  const isComplete = data.length > 0 && (data.length === wanted || over.by === 'end');
  if (!isComplete) return brokenOff(over, signal);
  const json = { data, usage };
  return end({ ...response, json, bodyText: '' });
}
