import { setTimeout as sleep } from 'node:timers/promises';
import { type ExecutionErrorCode, executionErrors } from '@holdfast/domain/errors';
import { z } from 'zod';

export type RunContext = {
  signal: AbortSignal;
  log: (line: string) => void;
  /** Adds a piece to the output. The output is then the list of the pieces, as Cog returns an iterator. */
  emit: (piece: unknown) => void;
  /** Whether a client reads the pieces as they come. */
  isStreamed: boolean;
  /** The URL of an image: a data URI, or a URL below the address of the request. */
  publish: (bytes: Buffer, contentType: string) => string;
};

/** Without `output` it is what was emitted. */
export type RunResult = { output?: unknown; metrics: Record<string, number | string> };

export type Model = {
  input: z.ZodType;
  /** Has `@cog.streaming`. */
  streams: boolean;
  run(input: unknown, context: RunContext): Promise<RunResult>;
};

/** Cog has error texts only, so the text starts with the code. */
export class ModelError extends Error {
  constructor(code: ExecutionErrorCode, message: string) {
    super(`${code}: ${message}`);
    this.name = 'ModelError';
  }
}

const codes = Object.keys(executionErrors) as [ExecutionErrorCode, ...ExecutionErrorCode[]];

export const controls = {
  delay_ms: z.int().min(0).max(600_000).default(0),
  fail: z.enum(codes).optional(),
  /** Selects how Holdfast waits for the run (`mode_from_input`). */
  mode: z.enum(['sync', 'callback']).optional(),
};

/** Shorter runs report no progress. */
const longMs = 1000;
const steps = 10;

type Controls = { delay_ms: number; fail?: ExecutionErrorCode | undefined };

/** Fails after the delay if the input says so; rejects at once when cancelled. */
export async function applyControls(given: Controls, context: RunContext): Promise<void> {
  await delay(given, context);
  failIfAsked(given);
}

export async function delay(
  { delay_ms: delayMs }: Pick<Controls, 'delay_ms'>,
  { signal, log }: Pick<RunContext, 'signal' | 'log'>,
): Promise<void> {
  const pauses = delayMs === 0 ? 0 : delayMs < longMs ? 1 : steps;
  for (let step = 1; step <= pauses; step++) {
    await sleep(delayMs / pauses, undefined, { signal });
    if (pauses > 1) log(bar(step));
  }
}

/** @throws ModelError */
export function failIfAsked({ fail }: Pick<Controls, 'fail'>): void {
  if (fail !== undefined) throw new ModelError(fail, 'The run failed because its input asked for it.');
}

/** As tqdm draws it. */
function bar(step: number): string {
  const share = `${(100 * step) / steps}%`.padStart(4);
  return `${share}|${'#'.repeat(step).padEnd(steps)}| ${step}/${steps}`;
}
