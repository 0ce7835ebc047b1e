import { HoldfastError } from './errors.ts';
import { bodyOf, followSource, numberOf } from './eventSource.ts';
import { Files } from './files.ts';
import type { Http } from './http.ts';
import { type Run, type Runner, type RunOptions, resultOf, type Started, startRun } from './run.ts';
import type { ServerSentEvent } from './serverSentEvents.ts';
import type { Execution, ExecutionStatus } from './types.ts';
import { cancel } from './waiting.ts';

/**
 * What a stream shows. `id` is null for what is not kept: an event with an id is where `startingAfter` can continue.
 * Later versions of the service may send other types: ignore those.
 */
export type StreamEvent<Delta = string> = { id: number | null } & (
  | { type: 'output'; delta: Delta }
  | { type: 'progress'; progress: number | null }
  | { type: 'logs'; lines: string[] }
  /** The output so far is void. It begins again, with the next attempt if there is a number. */
  | { type: 'reset'; attempt: number | null }
  | {
      type: 'done';
      status: ExecutionStatus;
      /** Null unless it was charged. */
      usage: Execution['usage'];
      cost: string | null;
      /** Why the output ended: `stop`, `length`, `budget`, … */
      finishReason: string | null;
      error: Execution['error'];
    }
);

export type StreamReadOptions = {
  /** Aborts reading. */
  signal?: AbortSignal | undefined;
  /** The id of an event: only later ones are read. */
  startingAfter?: number | undefined;
  /** Whether an abort also cancels the execution. */
  cancelOnAbort?: boolean | undefined;
  /** Whether the execution is cancelled when reading ends before it: by `break`, an abort, a crash or a lost network. */
  cancelOnDisconnect?: boolean | undefined;
};

export type StreamOptions = Omit<RunOptions, 'timeout' | 'onProgress'> &
  Omit<StreamReadOptions, 'startingAfter'>;

/** The execution of a stream. `identified` gives errors what is needed to repeat its run. */
type Streamed = Pick<Runner, 'http' | 'executions'> & {
  started: Promise<{ id: string; identified?: Started['identified'] }>;
};

/**
 * The output of an execution while it is made. Iterating yields the pieces in order, none twice, across connections that
 * break; it throws ExecutionError if the execution fails, expires or is cancelled. Each iteration reads from the beginning.
 *
 * After a `reset` the pieces are those of a new output: use `events()` for a model with `stream_restart`. A model without it
 * never resets.
 */
export class ExecutionStream<Delta = string, Output = Record<string, unknown>>
  implements AsyncIterable<Delta>
{
  /** The id of the execution, once it is created. */
  readonly id: Promise<string>;
  readonly #streamed: Streamed;
  readonly #options: StreamReadOptions;

  /** Use `client.stream` or `client.executions.stream`. */
  constructor(streamed: Streamed, options: StreamReadOptions) {
    this.#streamed = streamed;
    this.#options = options;
    this.id = streamed.started.then(({ id }) => id);
    // A failed create is reported to whoever iterates or waits.
    this.id.catch(() => undefined);
  }

  /** @throws ExecutionError, or an error of `final` */
  async *[Symbol.asyncIterator](): AsyncGenerator<Delta, void, undefined> {
    let status: ExecutionStatus | null = null;
    for await (const event of this.events()) {
      if (event.type === 'output') yield event.delta;
      if (event.type === 'done') status = event.status;
    }
    if (status !== 'COMPLETED') await this.final();
  }

  /**
   * Everything that the stream shows, to `done`, which also reports a failure: it throws only when it cannot be read.
   * @throws HoldfastError
   */
  async *events(): AsyncGenerator<StreamEvent<Delta>, void, undefined> {
    const { id, identified = same } = await this.#streamed.started;
    try {
      yield* followStream<Delta>(this.#streamed.http, id, this.#options);
    } catch (error) {
      throw identified(error);
    }
  }

  /**
   * Waits for the end, whether or not the stream is read, and returns the output and the record as `run` does.
   * @throws ExecutionError, AbortedError and the other errors of `run`
   */
  async final(): Promise<Run<Output>> {
    const { http, executions, started } = this.#streamed;
    const { signal } = this.#options;
    const cancelOnAbort = cancelsOnAbort(this.#options);
    const { id, identified = same } = await started;
    try {
      const execution = await executions.wait(id, { signal, cancelOnAbort });
      return await resultOf<Output>({ executions, files: new Files(http) }, execution);
    } catch (error) {
      throw identified(error);
    }
  }

  /** Cancels the execution. Its model decides what the output so far costs: `on_cancel`. */
  async cancel(): Promise<Execution> {
    return await this.#streamed.executions.cancel(await this.id);
  }
}

const same = (error: unknown) => error;

/** See `Holdfast.stream`. */
export function startStream<Delta, Output>(
  runner: Runner,
  model: string,
  input: Record<string, unknown>,
  options: StreamOptions,
): ExecutionStream<Delta, Output> {
  const more = { stream: true, cancelOnAbort: cancelsOnAbort(options) };
  const started = startRun(runner, model, input, { ...options, ...more }).then(({ created, identified }) => ({
    id: created.id,
    identified(error: unknown) {
      if (error instanceof HoldfastError) error.execution ??= created;
      return identified(error);
    },
  }));
  const { signal, cancelOnAbort, cancelOnDisconnect } = options;
  return new ExecutionStream({ ...runner, started }, { signal, cancelOnAbort, cancelOnDisconnect });
}

const cancelsOnAbort = ({ cancelOnAbort, cancelOnDisconnect }: StreamReadOptions) =>
  Boolean(cancelOnAbort || cancelOnDisconnect);

async function* followStream<Delta>(
  http: Http,
  id: string,
  { signal, startingAfter, cancelOnAbort, cancelOnDisconnect }: StreamReadOptions,
): AsyncGenerator<StreamEvent<Delta>, void, undefined> {
  const isLast = ({ type }: StreamEvent<Delta>) => type === 'done';
  const path = `/v1/executions/${encodeURIComponent(id)}/stream`;
  const query = cancelOnDisconnect ? { cancel_on_disconnect: true } : {};
  const lastEventId = startingAfter ? String(startingAfter) : undefined;
  const joined = joinOutput<Delta>(lastEventId === undefined);
  let isAtEnd = false;
  try {
    const source = { path, query, eventOf: eventOf<Delta>, isLast };
    for await (const event of followSource(http, source, { signal, lastEventId })) {
      isAtEnd = isLast(event);
      yield* joined(event);
    }
    isAtEnd = true;
  } finally {
    // A reader between two connections has none whose end the service could see.
    const isCancelled = cancelOnDisconnect || (cancelOnAbort && signal?.aborted);
    if (isCancelled && !isAtEnd) await cancel(http, id);
  }
}

/**
 * Once the events of a stream are gone, the service sends a reset without an id and the whole output. Where that begins with
 * the text that was read, only the rest is new.
 */
function joinOutput<Delta>(isFromBeginning: boolean) {
  /** Null where the text so far is unknown, or the output is not text. */
  let text = isFromBeginning ? '' : null;
  let held: StreamEvent<Delta> | null = null;
  return function* (event: StreamEvent<Delta>): Generator<StreamEvent<Delta>, void, undefined> {
    if (event.type === 'reset') {
      if (event.id === null) {
        held = event;
        return;
      }
      text = '';
    }
    if (event.type !== 'output') {
      if (event.type === 'done' && held) yield held;
      yield event;
      return;
    }
    const { delta } = event;
    const whole = held;
    held = null;
    if (whole && text !== null && typeof delta === 'string' && delta.startsWith(text)) {
      const rest = delta.slice(text.length);
      text = delta;
      if (rest !== '') yield { ...event, delta: rest as Delta };
      return;
    }
    if (whole) {
      text = '';
      yield whole;
    }
    text = text === null || typeof delta !== 'string' ? null : text + delta;
    yield event;
  };
}

function eventOf<Delta>(sent: ServerSentEvent): StreamEvent<Delta> | null {
  const body = bodyOf(sent);
  const { type } = sent;
  if (body === null) return null;
  const id = sent.id !== null && /^\d{1,15}$/.test(sent.id) ? Number(sent.id) : null;
  if (type === 'output' && 'delta' in body) return { id, type, delta: body['delta'] as Delta };
  // What follows partial images is the whole output, a `delta` too.
  if (type === 'output' && typeof body['image'] === 'string')
    return { id, type, delta: { image: body['image'] } as Delta };
  if (type === 'progress') return { id, type, progress: numberOf(body['progress']) };
  if (type === 'logs' && Array.isArray(body['lines'])) return { id, type, lines: body['lines'].map(String) };
  if (type === 'reset') return { id, type, attempt: numberOf(body['attempt']) };
  if (type !== 'done' || typeof body['status'] !== 'string') return null;
  const { status, usage = null, cost = null, finish_reason: finishReason = null, error = null } = body;
  const done = { status, usage, cost, finishReason, error } as Omit<
    Extract<StreamEvent, { type: 'done' }>,
    'id' | 'type'
  >;
  return { id, type, ...done };
}
