import { setTimeout as sleep } from 'node:timers/promises';
import { type ExecutionErrorCode, executionErrors } from '@holdfast/domain/errors';
import { z } from 'zod';

export type RunContext = {
  signal: AbortSignal;
  log: (line: string) => void;
  /** Makes a picture reachable: as a data URI, or as a URL below the address the run was asked for at. */
  publish: (bytes: Buffer, contentType: string) => string;
};

export type RunResult = { output: unknown; metrics: Record<string, number | string> };

export type Model = { input: z.ZodType; run(input: unknown, context: RunContext): Promise<RunResult> };

/** A run that fails as it should. Cog knows only an error text, so the code stands before the message. */
export class ModelError extends Error {
  constructor(code: ExecutionErrorCode, message: string) {
    super(`${code}: ${message}`);
    this.name = 'ModelError';
  }
}

const codes = Object.keys(executionErrors) as [ExecutionErrorCode, ...ExecutionErrorCode[]];

/** What every model here takes beside its own input: how long to run, and how to fail. */
export const controls = {
  delay_ms: z.int().min(0).max(600_000).default(0),
  fail: z.enum(codes).optional(),
  /** Read by whoever calls us, to choose how the end is reported. */
  mode: z.enum(['sync', 'callback']).optional(),
};

/** A run that takes at least so long shows how far it is. */
const longMs = 1000;
const steps = 10;

/** Waits as long as asked, then fails if asked. Rejects at once when the run is cancelled. */
export async function obey(
  { delay_ms: delayMs, fail }: { delay_ms: number; fail?: ExecutionErrorCode | undefined },
  { signal, log }: Pick<RunContext, 'signal' | 'log'>,
): Promise<void> {
  const pauses = delayMs === 0 ? 0 : delayMs < longMs ? 1 : steps;
  for (let step = 1; step <= pauses; step++) {
    await sleep(delayMs / pauses, undefined, { signal });
    if (pauses > 1) log(bar(step));
  }
  if (fail !== undefined) throw new ModelError(fail, 'The run failed because its input asked for it.');
}

/** As tqdm draws it. */
function bar(step: number): string {
  const share = `${(100 * step) / steps}%`.padStart(4);
  return `${share}|${'#'.repeat(step).padEnd(steps)}| ${step}/${steps}`;
}
