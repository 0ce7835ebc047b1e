import type { Database } from '@holdfast/db/client';
import {
  cancelExecution,
  type EndedExecution,
  expireExecutions,
  overdueExecutions,
} from '@holdfast/db/executions/endings';
import { eraseExecution } from '@holdfast/db/executions/erase';
import { getExecution } from '@holdfast/db/executions/read';
import { type StartedExecution, startExecutions } from '@holdfast/db/executions/start';
import { isRefusal } from '@holdfast/db/faults';
import { ApiError } from '@holdfast/domain/errors';
import type { Execution } from '@holdfast/domain/execution';
import { isTerminal } from '@holdfast/domain/statuses';
import { createBatcher } from '@holdfast/kit/batcher';
import { type EndingHints, hintStatus, hintStop, type OnEnded, type StatusHints } from './hints.ts';

export type Starter = {
  /** PENDING -> PROCESSING with a leased attempt. Null: another process has started it, or it has ended. */
  start(executionId: string, at: { connection: string; target: string }): Promise<StartedExecution | null>;
  idle(): Promise<void>;
};

type Start = Parameters<typeof startExecutions>[1][number];

export function openStarter(args: { db: Database; hints: StatusHints; leaseS: number }): Starter {
  const { db, hints, leaseS } = args;
  const batcher = createBatcher<Start, StartedExecution | null>({
    maxSize: 256,
    async run(starts) {
      const started = await startExecutions(db, starts, leaseS);
      const events = started.map((execution) => ({ ...execution, executionId: execution.id }));
      void hintStatus(hints, 'PROCESSING', events);
      const byId = new Map(started.map((execution) => [execution.id, execution]));
      return starts.map(({ id }) => {
        const execution = byId.get(id) ?? null;
        // Of two callers with the same id only the first one gets the run.
        byId.delete(id);
        return execution;
      });
    },
  });
  return { start: (id, at) => batcher.add({ id, ...at }), idle: batcher.idle };
}

/** -> CANCELLED, hold released, provider stopped; twice is fine. @throws ApiError NOT_FOUND, EXECUTION_ALREADY_TERMINAL */
export async function cancel(
  args: { db: Database; hints: EndingHints },
  organizationId: string,
  executionId: string,
): Promise<Execution> {
  const ended = await cancelExecution(args.db, organizationId, executionId);
  if (ended) void hintStop(args.hints, 'CANCELLED', [ended]);
  const execution = await findExecution(args.db, organizationId, executionId);
  if (execution.status !== 'CANCELLED') {
    throw new ApiError(
      'EXECUTION_ALREADY_TERMINAL',
      `The execution is already ${execution.status} and cannot be cancelled.`,
    );
  }
  return execution;
}

const expiryBatch = 500;

/** -> EXPIRED, holds released, providers stopped. @throws after all others are expired, when the database refuses one */
export async function expireDue(args: { db: Database; hints: EndingHints; onEnded: OnEnded }): Promise<void> {
  for (;;) {
    const startedAtMs = Date.now();
    const { ended, refusal } = await expireBatch(args.db);
    args.onEnded(ended, startedAtMs);
    await hintStop(args.hints, 'EXPIRED', ended);
    if (refusal) throw refusal;
    if (ended.length < expiryBatch) return;
  }
}

/** When the database refuses a corrupt execution, the others are expired one by one. */
async function expireBatch(db: Database): Promise<{ ended: EndedExecution[]; refusal?: Error }> {
  try {
    return { ended: await expireExecutions(db, expiryBatch) };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const ended: EndedExecution[] = [];
    for (const id of await overdueExecutions(db, expiryBatch)) ended.push(...(await expireOne(db, id)));
    return { ended, refusal: error };
  }
}

async function expireOne(db: Database, id: string): Promise<EndedExecution[]> {
  try {
    return await expireExecutions(db, 1, id);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return [];
  }
}

/** Erases the content of an ended execution, repeatedly if need be. @throws ApiError NOT_FOUND, EXECUTION_NOT_TERMINAL */
export async function erase(db: Database, organizationId: string, id: string): Promise<void> {
  while (!(await eraseExecution(db, organizationId, id))) {
    const { status } = await findExecution(db, organizationId, id);
    if (!isTerminal(status)) {
      throw new ApiError(
        'EXECUTION_NOT_TERMINAL',
        `The execution is ${status}. Cancel it first, or wait until it has ended.`,
      );
    }
  }
}

async function findExecution(db: Database, organizationId: string, id: string): Promise<Execution> {
  const execution = await getExecution(db, organizationId, id);
  if (!execution) throw new ApiError('NOT_FOUND', 'There is no such execution.');
  return execution;
}
