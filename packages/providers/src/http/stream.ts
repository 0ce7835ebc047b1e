import { parseJson } from '@holdfast/egress/response';
import type { ResponseHead, TrustedResult } from '@holdfast/egress/trusted';
import type { HttpResponse } from '../connection.ts';
import { brokenOff, isEventStream, readEvents } from '../eventStream.ts';
import type { Ended, OutputSink, Progress, Submission } from '../interface.ts';
import { outputFailure } from '../outcome/failure.ts';
import { finishReason } from '../outcome/finishReason.ts';
import { reportedTokens } from '../outcome/success.ts';
import { atPlace } from '../place.ts';
import { showBytes } from '../shownBytes.ts';
import { createShownOutput } from '../shownOutput.ts';
import { endOf, succeeded } from './ended.ts';
import type { HttpOptions } from './options.ts';
import { isSuccess, type Reading, readSubmit, secretsOf } from './progress.ts';
import { failureOf } from './reading.ts';

export type StreamOptions = NonNullable<HttpOptions['stream']>;

export type Streamed = { stream: StreamOptions; sink: OutputSink };

/** Null when the output is not shown while it is made. */
export function streamedOf({ sink }: Submission, { stream }: HttpOptions): Streamed | null {
  if (sink === undefined || stream === undefined) return null;
  return (sink.kind === 'audio') === (stream.format === 'bytes') ? { stream, sink } : null;
}

const accepted = {
  sse: 'text/event-stream, application/json',
  ndjson: 'application/x-ndjson, application/json',
  bytes: '*/*',
} as const satisfies Record<StreamOptions['format'], string>;

export function streamHeaders({ format }: StreamOptions): Record<string, string> {
  return { accept: accepted[format] };
}

/** A response of known length is whole: the server does not stream. */
export function isStream({ status, headers }: ResponseHead, options: HttpOptions): boolean {
  if (!isSuccess(status, options) || status === 202) return false;
  if (options.stream?.format === 'sse') return isEventStream(headers);
  return options.stream?.format === 'bytes' || headers['content-length'] === undefined;
}

/** A submit whose output is shown while it comes. `elapsedS`: the time since the submit. */
export async function readStreamed(
  result: TrustedResult,
  { stream, sink }: Streamed,
  reading: Reading,
  elapsedS: () => number,
  signal: AbortSignal,
): Promise<Progress> {
  if (!result.ok || result.stream === undefined) {
    const progress = await readSubmit(result, reading, elapsedS());
    if (progress.state === 'ended' && sink.kind !== 'audio')
      await createShownOutput(sink).showRest(progress.outcome);
    return progress;
  }
  if (stream.format !== 'bytes')
    return await readPieces(result, { stream, sink }, stream.format, reading, elapsedS, signal);
  const { stream: body, ...head } = result;
  const bytes = body && (await showBytes(body, sink));
  if (bytes && 'by' in bytes) return brokenOff(bytes, signal);
  return await readSubmit({ ...head, ...(bytes && { bytes }) }, reading, elapsedS());
}

async function readPieces(
  response: HttpResponse,
  streamed: Streamed,
  format: 'sse' | 'ndjson',
  reading: Reading,
  elapsedS: () => number,
  signal: AbortSignal,
): Promise<Progress> {
  if (response.stream === undefined) return brokenOff({ by: 'end' }, signal);
  const output = createStreamedOutput(streamed, reading);
  const over = await readEvents(response.stream, ({ name, data }) => output.read(name, data), format);
  const failed = output.failed();
  if (failed !== null) return failed;
  const isComplete = over.by === 'stop' || (over.by === 'end' && streamed.stream.done === undefined);
  return isComplete ? output.succeeded(response, elapsedS()) : brokenOff(over, signal);
}

type StreamedOutput = {
  /** Returns whether the event is the last. */
  read(name: string, data: string): Promise<boolean>;
  failed(): Ended | null;
  succeeded(response: HttpResponse, elapsedS: number): Ended;
};

const amounts = ['input_tokens', 'output_tokens', 'cost', 'seconds'] as const;

/** Places in the document that stands for the streamed response. */
const placesOfAmounts = {
  input_tokens: '/usage/input_tokens',
  output_tokens: '/usage/output_tokens',
  cost: '/usage/cost',
  seconds: '/usage/seconds',
} as const satisfies Record<(typeof amounts)[number], string>;
const placesOfTokens = {
  inputTokens: [placesOfAmounts.input_tokens],
  outputTokens: [placesOfAmounts.output_tokens],
};

function createStreamedOutput(
  { stream, sink }: Streamed,
  { options, submission, connection }: Reading,
): StreamedOutput {
  const { mapping } = submission;
  const secrets = secretsOf({ connection });
  const shown = createShownOutput(sink);
  const usage: Record<string, unknown> = {};
  const texts: string[] = [];
  let last: unknown;
  let reason: unknown;
  let failed: Ended | null = null;

  function readUsage(value: unknown): void {
    const found = amounts.flatMap((name) => {
      const place = stream.usage[name] ?? mapping.usage?.[name] ?? options.usage[name];
      const amount = place === undefined ? undefined : atPlace(value, place);
      return amount === undefined || amount === null ? [] : [[name, amount] as const];
    });
    Object.assign(usage, Object.fromEntries(found));
    const tokens = found.length === 0 ? null : reportedTokens({ usage }, {}, placesOfTokens);
    if (tokens !== null) sink.usage(tokens);
  }

  async function show(value: unknown): Promise<void> {
    const piece = atPlace(value, stream.delta);
    if (piece === undefined || piece === null) return;
    if (sink.kind !== 'text') return await shown.show(piece);
    const added = [piece].flat().filter((part) => typeof part === 'string');
    texts.push(...added);
    await shown.show(added.join(''));
  }

  return {
    async read(name, data) {
      const { done, error } = stream;
      if (done?.data !== undefined && data.trim() === done.data) return true;
      const value = options.response_as === 'text' ? data : (parseJson(data) ?? data);
      const at = error?.at ?? options.errors.text;
      if (error?.events.includes(name) || (at !== undefined && isSaid(atPlace(value, at)))) {
        failed = endOf(value, options, failureOf(value, options, mapping, secrets));
        return true;
      }
      const refused = outputFailure(value, mapping);
      if (refused !== null) failed = endOf(value, options, refused);
      if (failed !== null) return true;
      last = value;
      readUsage(value);
      reason = (stream.finish_reason && atPlace(value, stream.finish_reason)) ?? reason;
      await show(value);
      return isLast(name, value, done);
    },
    failed: () => failed,
    succeeded({ headers }, elapsedS) {
      const { pointer = options.output, ...output } = mapping.output;
      const joined = texts.length > 0 ? texts.join('') : null;
      const value = { output: sink.kind === 'text' ? joined : atPlace(last, pointer), usage };
      const { seconds_of, cost_header } = { ...options.usage, ...mapping.usage };
      const places = {
        ...placesOfAmounts,
        ...(seconds_of && { seconds_of }),
        ...(cost_header && { cost_header }),
      };
      const read = { ...options, output: '/output', usage: places };
      const { usage: _usage, ...rest } = mapping;
      const ended = succeeded({ value, bodies: [], headers }, read, { ...rest, output }, secrets, elapsedS);
      if (!ended.outcome.ok) return ended;
      return { ...ended, outcome: { ...ended.outcome, ...finishReason(reason) } };
    },
  };
}

function isLast(name: string, value: unknown, done: StreamOptions['done']): boolean {
  if (done?.events.includes(name)) return true;
  if (done?.at === undefined) return false;
  const found = atPlace(value, done.at);
  return done.values === undefined ? isSaid(found) && found !== false : done.values.includes(found as string);
}

const isSaid = (found: unknown) => found !== undefined && found !== null && found !== '';
