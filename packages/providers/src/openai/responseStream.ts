import { parseJson } from '@holdfast/egress/response';
import type { ResponseHead, TrustedHttp } from '@holdfast/egress/trusted';
import { isObject } from '@holdfast/kit/jsonSchema/values';
import type { Connection, HttpResponse } from '../connection.ts';
import { brokenOff, isEventStream, readEvents, type StreamEnd } from '../eventStream.ts';
import type { OutputSink, Progress, Submission } from '../interface.ts';
import { createShownText } from '../shownText.ts';
import { streamedError } from './refusal.ts';
import { requestOf } from './request.ts';
import {
  cancelResponse,
  pollAfterMs,
  readResponse,
  readSubmit,
  responseOutcome,
  responsePath,
} from './responses.ts';

const headers = { accept: 'text/event-stream, application/json' };
const bodyAs = ({ status, headers: received }: ResponseHead) =>
  status < 300 && isEventStream(received) ? 'stream' : 'text';

/** A background run of `POST /responses` that is shown while it comes. After a break its stream is resumed, else it is polled. */
export async function streamResponse(
  http: TrustedHttp,
  connection: Connection,
  submission: Submission,
  sink: OutputSink,
  signal: AbortSignal,
): Promise<Progress> {
  const deadlineMs = performance.now() + submission.timeoutMs;
  const { path, json } = requestOf(submission);
  const { timeoutMs } = submission;
  const result = await http.request('POST', path, { json, headers, bodyAs, timeoutMs, signal });
  const run = createStreamedRun(connection, submission, sink);
  if (!result.ok || result.stream === undefined) {
    const progress = readSubmit(result, connection, submission);
    if (progress.state === 'ended') await run.showRest(progress.outcome);
    return progress;
  }
  const resume = (id: string, after: number) =>
    http.request('GET', `${responsePath({ externalId: id })}?stream=true&starting_after=${after}`, {
      headers,
      bodyAs,
      timeoutMs: deadlineMs - performance.now(),
      signal,
    });

  async function follow(response: HttpResponse): Promise<Progress> {
    const before = run.sequence();
    const over = await run.read(response);
    const ended = run.ended();
    if (ended !== null) return ended;
    const externalId = run.id();
    if (externalId === null || over.by === 'limit' || signal.aborted) return brokenOff(over, signal);
    const running = { state: 'running', handle: { externalId }, by: 'poll', pollAfterMs } as const;
    const after = run.sequence();
    // Without a new event since the last break, another attempt would bring none either.
    if (after === null || after === before || performance.now() >= deadlineMs) return running;
    const resumed = await resume(externalId, after);
    return resumed.ok && resumed.stream !== undefined ? await follow(resumed) : running;
  }

  const progress = await follow(result);
  const externalId = run.id();
  // No handle of it is recorded, or its stream reported an error: nothing else would stop it.
  const isAbandoned = signal.aborted || (progress.state !== 'running' && !run.isOver());
  if (externalId !== null && isAbandoned) await cancelResponse(http, { externalId });
  return progress;
}

type StreamedRun = {
  read(response: HttpResponse): Promise<StreamEnd>;
  showRest: ReturnType<typeof createShownText>['showRest'];
  /** Null until an event has it. */
  id(): string | null;
  /** The number of the last event; null for servers that do not count them. */
  sequence(): number | null;
  ended(): Progress | null;
  /** Whether the server reported the end of the run itself. */
  isOver(): boolean;
};

function createStreamedRun(connection: Connection, submission: Submission, sink: OutputSink): StreamedRun {
  const { mapping } = submission;
  const text = createShownText(sink);
  const isShown = [undefined, '/output_text'].includes(mapping.output.pointer);
  let id: string | null = null;
  let sequence: number | null = null;
  let isBegun = false;
  let isOver = false;
  let ended: Progress | null = null;

  async function readEvent(name: string, data: string, { headers: received }: HttpResponse): Promise<void> {
    const event = parseJson(data);
    if (!isObject(event)) {
      ended = streamedError(name, data, submission, connection, isBegun);
      return;
    }
    const { type = name, sequence_number: number, response: found, delta } = event;
    if (typeof number === 'number') {
      if (sequence !== null && number <= sequence) return;
      sequence = number;
    }
    ended = streamedError(String(type), event, submission, connection, isBegun);
    const response = readResponse(found);
    if (response !== null) {
      ({ id } = response);
      const outcome = responseOutcome(response, mapping, connection, received);
      if (outcome === null) return;
      isOver = true;
      await text.showRest(outcome);
      ended = { state: 'ended', outcome };
    } else if (type === 'response.output_text.delta' && typeof delta === 'string' && isShown) {
      isBegun = true;
      await text.show(delta);
    }
  }

  return {
    async read(response) {
      const { stream } = response;
      if (stream === undefined) return { by: 'end' };
      return await readEvents(stream, async ({ name, data }) => {
        await readEvent(name, data, response);
        return ended !== null;
      });
    },
    showRest: text.showRest,
    id: () => id,
    sequence: () => sequence,
    ended: () => ended,
    isOver: () => isOver,
  };
}
