import { setTimeout as sleep } from 'node:timers/promises';
import { storableJson } from '@holdfast/db/statement';
import type { StreamWrite, StreamWriter, TakenStream } from '@holdfast/db/streams';
import { type Charge, chargeFor } from '@holdfast/domain/charge';
import { defaultBytesPerToken, type StreamKind } from '@holdfast/domain/modelDefinition';
import { type Money, MoneyDecimal } from '@holdfast/domain/money';
import { type Failure, mappingOf, type Success } from '@holdfast/domain/outcome';
import { expectedImages, type PricedInput } from '@holdfast/domain/quantities';
import type { OutputSink, Progress } from '@holdfast/providers/interface';
import { logLine } from '@holdfast/providers/outcome/raw';
import { createPieces, type Gathered, type OpenFile, type Pieces, sizeOf } from './pieces.ts';
import { secretsOf } from './progress.ts';
import type { Route } from './route.ts';
import type { Attempt } from './submission.ts';

/** Bytes that wait to be written before the provider is read on. */
const maxWaitingBytes = 65_536;
/** A stream that is charged ends this long before its execution expires, which would be free. */
const deadlineMarginMs = 1000;

export type ShownOutput = {
  sink: OutputSink;
  stop: AbortSignal;
  /** Null: the attempt was given up. */
  finish(progress: Progress | null): Promise<Progress | null>;
  /** What becomes of a run that has no further output: it is run again, or fails. */
  brokenOff(outcome: Failure): Progress;
};

type Stop = 'budget' | 'deadline' | 'closed';

type Given = {
  writer: StreamWriter;
  taken: TakenStream;
  kind: StreamKind;
  route: Pick<Route, 'definition' | 'route' | 'connection'>;
  attempt: Pick<Attempt, 'attemptToken' | 'number' | 'remainingMs'>;
  priced: PricedInput;
  /** As of `performance.now()`: when `attempt.remainingMs` was read, or later by little. */
  takenAtMs: number;
  /** The least time between two writes. */
  pauseMs(): number;
  write(write: StreamWrite): Promise<boolean>;
  /** The most that the execution may cost now; null: as its hold. */
  allowance(): Promise<Money | null>;
  /** The text that earlier processes have shown. */
  shownBefore(): Promise<string | null>;
  /** Stores a partial image, and returns its id; null: it is not shown. */
  keepImage(url: string, signal: AbortSignal): Promise<string | null>;
  openFile: OpenFile;
};

/** The output of one run: gathers its pieces into events, and prices what is shown. */
export function createShownOutput(args: Given): ShownOutput {
  const { taken, kind, attempt } = args;
  const { definition } = args.route;
  const meter = createMeter(args);
  const stopped = new AbortController();
  const stop = (why: Stop) => {
    if (!stopped.signal.aborted) stopped.abort(why);
  };
  const pieces = createPieces(kind);
  const writing = createWriting(args, { meter, pieces, stop, signal: stopped.signal });
  const isRepeated = taken.shownBy !== null && taken.shownBy < attempt.number;
  if (isRepeated) reset();
  const deadline =
    definition.on_cancel === 'charge' &&
    setTimeout(
      () => (meter.shownBytes() > 0 ? stop('deadline') : writing.stopAfterNext()),
      Math.max(0, attempt.remainingMs - deadlineMarginMs - (performance.now() - args.takenAtMs)),
    );

  function reset(): void {
    pieces.add({ type: 'reset', data: JSON.stringify({ attempt: attempt.number }) });
  }

  function close(): void {
    if (deadline) clearTimeout(deadline);
  }

  function brokenOff(outcome: Failure): Progress {
    close();
    const isShown = meter.shownBytes() > 0 || taken.shownBy !== null;
    if (isShown && !definition.stream_restart) return { state: 'ended', outcome };
    return { state: 'refused', retryAfterMs: 0, outcome, isLost: true };
  }

  /** The output of a run may have come otherwise than by its stream, as a whole. */
  async function showRest({ output }: Success): Promise<void> {
    const isShown = meter.shownBytes() > 0;
    if (kind === 'text' && typeof output.text === 'string') {
      const earlier = isRepeated ? null : await args.shownBefore();
      const before = isShown ? pieces.shownText() : (earlier ?? '');
      const isContinued = output.text.startsWith(before);
      if (!isContinued) reset();
      pieces.output(isContinued ? output.text.slice(before.length) : output.text);
    } else if (kind === 'json' && !isShown && taken.shownBy === null) pieces.output(output);
    await writing.flushed();
  }

  async function finish(progress: Progress): Promise<Progress | null> {
    const success = progress.state === 'ended' && progress.outcome.ok ? progress.outcome : null;
    await writing.flushed();
    if (success && !stopped.signal.aborted) await showRest(success);
    const why: Stop | null = stopped.signal.aborted ? (stopped.signal.reason as Stop) : null;
    if (why === 'closed') return null;
    if (why !== null) {
      const { output, ...bodies } = pieces.shownOutput(definition.output.kind, args.openFile);
      return { state: 'ended', outcome: meter.successOf(output, why), ...bodies };
    }
    if (progress.state === 'running') return progress;
    if (success) return { ...progress, outcome: meter.withUsage(success) } as Progress;
    const isShown = meter.shownBytes() > 0 || taken.shownBy === attempt.number;
    const isFinal = progress.state === 'ended' && !definition.stream_restart;
    return isShown && !isFinal ? brokenOff(progress.outcome as Failure) : progress;
  }

  return {
    sink: { kind, usage: meter.report, ...sinkOf(args, pieces, writing, stopped.signal) },
    stop: stopped.signal,
    brokenOff,
    async finish(progress) {
      if (progress === null) stop('closed');
      try {
        return progress && (await finish(progress));
      } finally {
        close();
      }
    },
  };
}

function sinkOf(
  { kind, route, attempt, keepImage }: Given,
  pieces: Pieces,
  writing: Writing,
  stopped: AbortSignal,
): Omit<OutputSink, 'kind' | 'usage'> {
  const showsLogs = mappingOf(route.definition, route.route).show?.includes('logs') ?? false;
  return {
    async output(piece) {
      if (stopped.aborted) return;
      const shown = kind === 'image' ? await keepImage(String(piece), stopped) : piece;
      if (kind === 'image' && shown === null) return;
      pieces.output(shown);
      await writing.start(pieces.bytes() > maxWaitingBytes);
    },
    logs(text) {
      if (!showsLogs || stopped.aborted) return;
      const secrets = secretsOf(route, attempt);
      const lines = text
        .split('\n')
        .map((line) => logLine(line, secrets))
        .filter((line) => line !== '');
      if (lines.length === 0) return;
      pieces.add({ type: 'logs', data: storableJson({ lines }) });
      void writing.start();
    },
    progress(share) {
      if (!(share >= 0 && share <= 1) || stopped.aborted) return;
      pieces.add({ type: 'progress', data: JSON.stringify({ progress: share }) });
      void writing.start();
    },
  };
}

type Writing = ReturnType<typeof createWriting>;

/** Writes what has gathered, one write at a time. */
function createWriting(
  { writer, taken, pauseMs, write }: Given,
  {
    meter,
    pieces,
    stop,
    signal,
  }: { meter: Meter; pieces: Pieces; stop(why: Stop): void; signal: AbortSignal },
) {
  let eventsBefore = taken.events;
  let wroteAtMs = Number.NEGATIVE_INFINITY;
  let running: Promise<void> | null = null;
  let isLast = false;

  async function writeNext(): Promise<void> {
    const gathered = pieces.take();
    const events = await meter.affordable(gathered);
    if (events.length < gathered.length) stop('budget');
    if (events.length === 0) return;
    wroteAtMs = performance.now();
    const isWritten = await write({
      ...writer,
      eventsBefore,
      events: events.map(({ type, data }) => ({ type, data })),
      ...meter.chargeWith(events),
    });
    if (!isWritten) return stop('closed');
    eventsBefore += events.length;
    meter.show(events);
    pieces.show(events);
    if (isLast && meter.shownBytes() > 0) stop('deadline');
  }

  async function run(): Promise<void> {
    while (pieces.count() > 0 && !signal.aborted) {
      const waitMs = wroteAtMs + pauseMs() - performance.now();
      if (waitMs > 0) await sleep(waitMs);
      if (!signal.aborted) await writeNext();
    }
    if (signal.aborted) pieces.clear();
  }

  async function start(isAwaited = false): Promise<void> {
    running ??= run().finally(() => {
      running = null;
    });
    if (isAwaited) await running;
    // `flushed` runs it again, and then fails.
    else running.catch(() => {});
  }

  return {
    start,
    /** What is shown first from now on is all that is shown. */
    stopAfterNext(): void {
      isLast = true;
    },
    async flushed(): Promise<void> {
      await running?.catch(() => {});
      await start(true);
    },
  };
}

type Meter = ReturnType<typeof createMeter>;

/**
 * What the shown output costs: by the tokens that its provider reports, or else by its bytes. What leads to images costs as
 * much as they do: the first partial image shows what they will be, and a provider that is stopped is paid for them.
 */
function createMeter({ route: { definition }, kind, priced, taken, allowance }: Given) {
  const startedMs = performance.now();
  const bytesPerToken = definition.bytes_per_token ?? defaultBytesPerToken;
  let usage: Success['usage'] = { inputTokens: 0, outputTokens: 0 };
  let shownBytes = 0;
  const hold = new MoneyDecimal(taken.hold);

  const images = kind === 'image' ? { images: expectedImages(definition.estimate, priced).toNumber() } : {};
  const countsBytes = kind === 'text' || kind === 'json';

  const measured = () => ({ seconds: (performance.now() - startedMs) / 1000, ...images });

  function chargeOf(bytes: number): Charge {
    const counted = countsBytes ? Math.ceil(bytes / bytesPerToken) : 0;
    const outputTokens = Math.max(usage.outputTokens, counted);
    const success: Success = {
      ok: true,
      output: {},
      usage: { ...usage, outputTokens },
      measured: measured(),
    };
    return chargeFor(definition, priced, success);
  }

  const costs = (events: readonly Gathered[]) => chargeOf(shownBytes + sizeOf(events)).cost;

  return {
    shownBytes: () => shownBytes,
    report(reported: Success['usage']): void {
      usage = reported;
    },
    show(events: readonly Gathered[]): void {
      shownBytes += sizeOf(events);
    },
    chargeWith(events: readonly Gathered[]): Pick<StreamWrite, 'cost' | 'inputTokens' | 'outputTokens'> {
      const bytes = shownBytes + sizeOf(events);
      if (bytes === 0) return { cost: '0', inputTokens: 0, outputTokens: 0 };
      const { cost, usage: charged } = chargeOf(bytes);
      return { cost, ...charged };
    },
    /** Those of the first events that the execution may cost. No further image costs more than the first. */
    async affordable(events: Gathered[]): Promise<Gathered[]> {
      if (kind === 'image' || sizeOf(events) === 0 || !hold.lt(costs(events))) return events;
      // Each time anew: other executions spend what is left, too.
      const allowed = MoneyDecimal.max(hold, (await allowance()) ?? 0);
      let some = events;
      while (some.length > 0 && allowed.lt(costs(some))) some = some.slice(0, -1);
      return some;
    },
    /** What we stopped is a success with what was shown of it. */
    successOf: (output: Success['output'], finishReason: string): Success => ({
      ok: true,
      output,
      usage: chargeOf(shownBytes).usage,
      measured: measured(),
      finishReason,
      isUsageEstimated: true,
    }),
    withUsage(success: Success): Success {
      if (!countsBytes || shownBytes === 0 || success.usage.outputTokens > 0) return success;
      if (usage.outputTokens > 0) return { ...success, usage };
      const { outputTokens } = chargeOf(shownBytes).usage;
      return { ...success, usage: { ...success.usage, outputTokens }, isUsageEstimated: true };
    },
  };
}
