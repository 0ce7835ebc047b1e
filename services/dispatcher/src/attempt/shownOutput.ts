import { setTimeout as sleep } from 'node:timers/promises';
import { storableJson } from '@holdfast/db/statement';
import type { StreamEvent, StreamWrite, StreamWriter, TakenStream } from '@holdfast/db/streams';
import { type Charge, chargeFor } from '@holdfast/domain/charge';
import { defaultBytesPerToken, type StreamKind } from '@holdfast/domain/modelDefinition';
import { type Money, MoneyDecimal } from '@holdfast/domain/money';
import { type Failure, mappingOf, type Success } from '@holdfast/domain/outcome';
import type { PricedInput } from '@holdfast/domain/quantities';
import type { OutputSink, Progress } from '@holdfast/providers/interface';
import { logLine } from '@holdfast/providers/outcome/raw';
import { secretsOf } from './progress.ts';
import type { Route } from './route.ts';
import type { Attempt } from './submission.ts';

/** Bytes of output in one event. */
const maxEventBytes = 4096;
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

const nothing = { cost: '0', usage: { inputTokens: 0, outputTokens: 0 } };

type Stop = 'budget' | 'deadline' | 'closed';

/** The output of one run: gathers its pieces into events, and prices what is shown. */
export function createShownOutput(args: {
  writer: StreamWriter;
  taken: TakenStream;
  kind: StreamKind;
  route: Pick<Route, 'definition' | 'route' | 'connection'>;
  attempt: Pick<Attempt, 'attemptToken' | 'number' | 'remainingMs'>;
  priced: PricedInput;
  /** The least time between two writes. */
  pauseMs(): number;
  write(write: StreamWrite): Promise<boolean>;
  /** The most that the execution may cost now; null: as its hold. */
  allowance(): Promise<Money | null>;
  /** The text that earlier processes have shown. */
  shownBefore(): Promise<string | null>;
}): ShownOutput {
  const { writer, taken, kind, priced } = args;
  const { definition } = args.route;
  const startedMs = performance.now();
  const stopped = new AbortController();
  const pieces = createPieces(kind);
  let eventsBefore = taken.events;
  let shownBytes = 0;
  let usage: Success['usage'] = { inputTokens: 0, outputTokens: 0 };
  let allowed = new MoneyDecimal(taken.hold);
  let wroteAtMs = Number.NEGATIVE_INFINITY;
  let pumping: Promise<void> | null = null;

  const isAgain = taken.shownBy !== null && taken.shownBy < writer.attempt;
  if (isAgain) reset();
  const deadline = isCharged()
    ? setTimeout(
        () => shownBytes > 0 && stop('deadline'),
        Math.max(0, args.attempt.remainingMs - deadlineMarginMs),
      )
    : undefined;

  function isCharged(): boolean {
    return definition.on_cancel === 'charge';
  }

  function reset(): void {
    pieces.add({ type: 'reset', data: JSON.stringify({ attempt: writer.attempt }) });
  }

  function stop(why: Stop): void {
    if (!stopped.signal.aborted) stopped.abort(why);
  }

  /** Tokens as the provider reports them, or else by the bytes of the output. */
  function charge(bytes: number): Charge {
    const counted =
      kind === 'audio' ? 0 : Math.ceil(bytes / (definition.bytes_per_token ?? defaultBytesPerToken));
    const outputTokens = Math.max(usage.outputTokens, counted);
    const measured = { seconds: (performance.now() - startedMs) / 1000 };
    return chargeFor(definition, priced, {
      ok: true,
      output: {},
      usage: { ...usage, outputTokens },
      measured,
    });
  }

  /** Those events that the execution may cost; the rest is never shown. */
  async function affordable(events: Gathered[]): Promise<Gathered[]> {
    const costs = (some: Gathered[]) => new MoneyDecimal(charge(shownBytes + sizeOf(some)).cost);
    if (sizeOf(events) > 0 && costs(events).gt(allowed)) {
      allowed = MoneyDecimal.max(taken.hold, (await args.allowance()) ?? 0);
      while (events.length > 0 && sizeOf(events) > 0 && costs(events).gt(allowed)) {
        stop('budget');
        events = events.slice(0, -1);
      }
    }
    return events;
  }

  async function pump(): Promise<void> {
    while (pieces.bytes() > 0 || pieces.count() > 0) {
      const waitMs = wroteAtMs + args.pauseMs() - performance.now();
      if (waitMs > 0) await sleep(waitMs);
      if (stopped.signal.aborted) return pieces.clear();
      const events = await affordable(pieces.take());
      if (events.length === 0) return pieces.clear();
      const bytes = shownBytes + sizeOf(events);
      const { cost, usage: charged } = bytes > 0 ? charge(bytes) : nothing;
      wroteAtMs = performance.now();
      const isWritten = await args.write({
        ...writer,
        eventsBefore,
        events: events.map(({ type, data }) => ({ type, data })),
        cost,
        ...charged,
      });
      if (!isWritten) {
        stop('closed');
        return pieces.clear();
      }
      eventsBefore += events.length;
      shownBytes = bytes;
      pieces.shown(events);
    }
  }

  function start(): void {
    pumping ??= pump().finally(() => {
      pumping = null;
    });
  }

  async function flushed(): Promise<void> {
    while (pieces.count() > 0 && !stopped.signal.aborted) {
      start();
      await pumping;
    }
    await pumping;
  }

  const sink: OutputSink = {
    kind,
    async output(piece) {
      if (stopped.signal.aborted) return;
      pieces.output(piece);
      start();
      if (pieces.bytes() > maxWaitingBytes) await pumping;
    },
    logs(text) {
      if (!mappingOf(definition, args.route.route).show?.includes('logs')) return;
      const secrets = secretsOf(args.route, args.attempt);
      const lines = text
        .split('\n')
        .map((line) => logLine(line, secrets))
        .filter((line) => line !== '');
      if (lines.length === 0) return;
      pieces.add({ type: 'logs', data: storableJson({ lines }) });
      start();
    },
    progress(share) {
      if (!(share >= 0 && share <= 1)) return;
      pieces.add({ type: 'progress', data: JSON.stringify({ progress: share }) });
      start();
    },
    usage(reported) {
      usage = reported;
    },
  };

  function brokenOff(outcome: Failure): Progress {
    const isShown = shownBytes > 0 || taken.shownBy !== null;
    if (isShown && !definition.stream_restart) return { state: 'ended', outcome };
    return { state: 'refused', retryAfterMs: 0, outcome, isLost: true };
  }

  /** What we stopped is a success with what was shown of it. */
  function cut(finishReason: string): Progress {
    const seconds = (performance.now() - startedMs) / 1000;
    const success: Success = {
      ok: true,
      output: pieces.shownOutput(),
      usage: charge(shownBytes).usage,
      measured: { seconds },
      finishReason,
      isUsageEstimated: true,
    };
    return { state: 'ended', outcome: success };
  }

  /** The output of a run may have come otherwise than by its stream, as a whole. */
  async function showRest({ output }: Success): Promise<void> {
    if (kind === 'text' && typeof output.text === 'string') {
      const before = shownBytes > 0 ? pieces.shownText() : isAgain ? '' : ((await args.shownBefore()) ?? '');
      if (!output.text.startsWith(before)) reset();
      pieces.output(output.text.startsWith(before) ? output.text.slice(before.length) : output.text);
    } else if (kind === 'json' && shownBytes === 0 && taken.shownBy === null) pieces.output(output);
    await flushed();
  }

  function withUsage(success: Success): Success {
    if (kind === 'audio' || shownBytes === 0 || success.usage.outputTokens > 0) return success;
    const reported = Math.max(usage.outputTokens, success.usage.outputTokens);
    if (reported > 0) return { ...success, usage };
    return {
      ...success,
      usage: { ...success.usage, outputTokens: charge(shownBytes).usage.outputTokens },
      isUsageEstimated: true,
    };
  }

  return {
    sink,
    stop: stopped.signal,
    brokenOff,
    async finish(progress) {
      if (progress === null) {
        stop('closed');
        clearTimeout(deadline);
        return null;
      }
      await flushed();
      if (progress.state === 'ended' && progress.outcome.ok && !stopped.signal.aborted)
        await showRest(progress.outcome);
      clearTimeout(deadline);
      const why: Stop | null = stopped.signal.aborted ? (stopped.signal.reason as Stop) : null;
      if (why === 'closed') return null;
      if (why !== null) return cut(why);
      if (progress.state === 'ended' && progress.outcome.ok)
        return { ...progress, outcome: withUsage(progress.outcome) };
      const isShown = shownBytes > 0 || taken.shownBy === writer.attempt;
      if (!isShown || progress.state === 'running') return progress;
      return progress.state === 'ended' && !definition.stream_restart
        ? progress
        : brokenOff(progress.outcome as Failure);
    },
  };
}

/** `bytes`: of output in it. */
type Gathered = StreamEvent & { bytes: number; piece?: unknown };

function sizeOf(events: readonly Gathered[]): number {
  return events.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** What waits to be shown, and what was. Texts and bytes that follow each other go together. */
function createPieces(kind: StreamKind) {
  let waiting: Gathered[] = [];
  let text = '';
  let audio: Buffer[] = [];
  let bytes = 0;
  let shownTexts = '';
  const shownValues: unknown[] = [];

  function gather(): void {
    if (text !== '') waiting.push(...textEvents(text));
    if (audio.length > 0) waiting.push(...audioEvents(Buffer.concat(audio)));
    text = '';
    audio = [];
  }

  return {
    bytes: () => bytes,
    count: () => waiting.length + (text === '' ? 0 : 1) + (audio.length > 0 ? 1 : 0),
    output(piece: unknown): void {
      if (kind === 'text') {
        if (typeof piece !== 'string' || piece === '') return;
        text += piece;
        bytes += Buffer.byteLength(piece);
      } else if (kind === 'audio') {
        if (!Buffer.isBuffer(piece) || piece.length === 0) return;
        audio.push(piece);
        bytes += piece.length;
      } else {
        const data = storableJson({ delta: piece ?? null });
        waiting.push({ type: 'output', data, bytes: Buffer.byteLength(data), piece });
        bytes += Buffer.byteLength(data);
      }
    },
    add(event: StreamEvent): void {
      gather();
      waiting.push({ ...event, bytes: 0 });
    },
    take(): Gathered[] {
      gather();
      const taken = waiting;
      waiting = [];
      bytes = 0;
      return taken;
    },
    clear(): void {
      waiting = [];
      text = '';
      audio = [];
      bytes = 0;
    },
    shown(events: readonly Gathered[]): void {
      for (const event of events) {
        if (event.type === 'reset') {
          shownTexts = '';
          shownValues.length = 0;
        } else if (event.type === 'output' && kind === 'text') shownTexts += String(event.piece);
        else if (event.type === 'output' && kind === 'json') shownValues.push(event.piece);
      }
    },
    shownText: () => shownTexts,
    shownOutput: (): Record<string, unknown> =>
      kind === 'json' ? { output: shownValues } : { text: shownTexts },
  };
}

const encoder = new TextEncoder();
const buffer = new Uint8Array(maxEventBytes);

/** No character is split. */
function textEvents(text: string): Gathered[] {
  const events: Gathered[] = [];
  for (let at = 0; at < text.length; ) {
    const { read, written } = encoder.encodeInto(text.slice(at, at + maxEventBytes + 1), buffer);
    const piece = text.slice(at, at + read);
    events.push({ type: 'output', data: storableJson({ delta: piece }), bytes: written, piece });
    at += read;
  }
  return events;
}

function audioEvents(audio: Buffer): Gathered[] {
  const count = Math.ceil(audio.length / maxEventBytes);
  return Array.from({ length: count }, (_, index) => {
    const piece = audio.subarray(index * maxEventBytes, (index + 1) * maxEventBytes);
    return { type: 'output', data: JSON.stringify({ delta: piece.toString('base64') }), bytes: piece.length };
  });
}
