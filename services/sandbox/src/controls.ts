import { setTimeout as sleep } from 'node:timers/promises';
import { type ExecutionErrorCode, executionErrors } from '@holdfast/domain/errorCodes';
import { z } from 'zod';
import { ModelError } from './modelError.ts';

const codes = Object.keys(executionErrors) as [ExecutionErrorCode, ...ExecutionErrorCode[]];

/** What every model here takes beside its own input: how long to run, and how to fail. */
export const controls = {
  delay_ms: z.int().min(0).max(600_000).default(0),
  fail: z.enum(codes).optional(),
  /** Read by whoever calls us, to choose how the end is reported. */
  mode: z.enum(['sync', 'callback']).optional(),
};

/** Waits as long as asked, then fails if asked. Rejects at once when the run is cancelled. */
export async function obey(
  { delay_ms: delayMs, fail }: { delay_ms: number; fail?: ExecutionErrorCode | undefined },
  signal: AbortSignal,
): Promise<void> {
  if (delayMs > 0) await sleep(delayMs, undefined, { signal });
  if (fail !== undefined) throw new ModelError(fail, 'The run failed because its input asked for it.');
}
