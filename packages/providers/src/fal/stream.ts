import { parseJson } from '@holdfast/egress/response';
import { isObject } from '@holdfast/kit/jsonSchema/values';
import type { Connection, Origins } from '../connection.ts';
import { brokenOff, isEventStream, readEvents } from '../eventStream.ts';
import type { Ended, OutputSink, Progress, Submission } from '../interface.ts';
import { withRaw } from '../outcome/raw.ts';
import { reportedTokens } from '../outcome/success.ts';
import { atPlace } from '../place.ts';
import { networkProgress } from '../progress.ts';
import { createShownOutput } from '../shownOutput.ts';
import { failedBy, falErrorOf, readRefusal } from './errors.ts';
import { outcomeOfOutput, placesOf } from './output.ts';
import { streamRequest } from './request.ts';

/** The sink of a run whose output can be shown while it is made. */
export function sinkOf({ sink, mapping: { output } }: Submission): OutputSink | null {
  const isShown = sink?.kind === 'json' || (sink?.kind === 'text' && output.kind === 'text');
  return isShown ? sink : null;
}

/**
 * Runs a model outside the queue. Each event has the whole output so far, and the last one is the output. A run whose stream
 * broke off is lost: fal has no id to find it by.
 */
export async function streamRun(
  http: Origins,
  connection: Connection,
  submission: Submission,
  sink: OutputSink,
  signal: AbortSignal,
): Promise<Progress> {
  const { mapping, timeoutMs } = submission;
  const { url, headers, json } = streamRequest(submission, connection);
  const result = await http.request('POST', url, {
    json,
    headers: { ...headers, accept: 'text/event-stream, application/json' },
    bodyAs: ({ status, headers: received }) => (status < 300 && isEventStream(received) ? 'stream' : 'text'),
    timeoutMs,
    signal,
  });
  if (!result.ok) return networkProgress(result);
  if (result.status >= 300) return readRefusal(result, mapping, connection);

  const shown = createShownOutput(sink);
  async function end(output: unknown): Promise<Ended> {
    const outcome = outcomeOfOutput(output, mapping, null);
    await shown.showRest(outcome);
    return { state: 'ended', outcome: outcome.ok ? outcome : withRaw(outcome, textOf(output), connection) };
  }
  if (result.stream === undefined) return await end(result.json);

  const text = growingText();
  let last: Record<string, unknown> | null = null;
  let failed: Ended | null = null;
  const over = await readEvents(result.stream, async ({ name, data }) => {
    const event = parseJson(data);
    failed = failureIn(name, event ?? data, submission, connection);
    if (failed !== null || !isObject(event)) return failed !== null;
    last = event;
    const { progress } = event;
    if (typeof progress === 'number' && progress >= 0 && progress <= 1) sink.progress(progress);
    const usage = reportedTokens(event, mapping, placesOf(event, mapping));
    if (usage !== null && usage.outputTokens > 0) sink.usage(usage);
    if (sink.kind === 'json') await shown.show(event);
    else
      await shown.show(
        text.grownTo(atPlace(event, mapping.output.pointer ?? placesOf(event, mapping).output)),
      );
    return false;
  });
  if (failed !== null) return failed;
  const isWhole = over.by === 'end' && last !== null && last['partial'] !== true;
  return isWhole ? await end(last) : brokenOff(over, signal);
}

/** Null: the event reports no error. */
function failureIn(
  name: string,
  event: unknown,
  { mapping }: Submission,
  connection: Connection,
): Ended | null {
  const { error, error_type: type, detail } = isObject(event) ? event : { error: event };
  const isFailed = [error, type, detail].some((said) => said !== undefined && said !== null && said !== '');
  if (name !== 'error' && !(isFailed && isObject(event))) return null;
  const words = isObject(error) ? error['message'] : error;
  const falError = falErrorOf(
    typeof words === 'string' ? words : null,
    typeof type === 'string' ? type : null,
    event,
  );
  return failedBy(falError, mapping, connection, textOf(event));
}

function textOf(said: unknown): string {
  return typeof said === 'string' ? said : JSON.stringify(said ?? null);
}

/** What each whole text so far has beyond the one before; nothing for one that does not continue it. */
function growingText(): { grownTo(text: unknown): string } {
  let before = '';
  return {
    grownTo(text) {
      if (typeof text !== 'string' || !text.startsWith(before)) return '';
      const grown = text.slice(before.length);
      before = text;
      return grown;
    },
  };
}
