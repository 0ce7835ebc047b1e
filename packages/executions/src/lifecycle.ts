import type { AttemptRoute } from '@holdfast/db/attempts/lease';
import type { Database } from '@holdfast/db/client';
import {
  cancelExecution,
  cancelExecutions,
  type EndedExecution,
  expireExecutions,
  overdueExecutions,
} from '@holdfast/db/executions/endings';
import { eraseExecution } from '@holdfast/db/executions/erase';
import { getExecution } from '@holdfast/db/executions/read';
import { type StartedExecution, startExecutions } from '@holdfast/db/executions/start';
import { isLockTimeout, isRejection } from '@holdfast/db/faults';
import { lockedOrganizations } from '@holdfast/db/locks';
import { ApiError } from '@holdfast/domain/errors';
import type { Execution } from '@holdfast/domain/execution';
import { isTerminal } from '@holdfast/domain/statuses';
import { createBatcher } from '@holdfast/kit/batcher';
import type { Logger } from '@holdfast/kit/logger';
import { backoff, retry } from '@holdfast/kit/retry';
import { type EndingHints, hintStatus, hintStop, type OnEnded, type StatusHints } from './hints.ts';

export type Starter = {
  /** PENDING -> PROCESSING with a leased attempt. Null: another process has started it, or it has ended. */
  start(executionId: string, at: AttemptRoute): Promise<StartedExecution | null>;
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
        // Only the first of two callers with the same id gets the run.
        byId.delete(id);
        return execution;
      });
    },
  });
  return { start: (id, at) => batcher.add({ id, ...at }), idle: batcher.idle };
}

/** While the balance is locked by another session; between tries a cancel holds no connection. */
const cancelRetries = { delaysMs: backoff(100, 1000), forMs: 5000, isRetryable: isLockTimeout };

type Cancelling = { db: Database; hints: EndingHints; log: Logger };

/** -> CANCELLED, hold released, provider stopped. One that has ended stays as it is. @throws ApiError NOT_FOUND */
export async function cancelUnlessEnded(
  { db, hints, log }: Cancelling,
  organizationId: string,
  executionId: string,
): Promise<Execution> {
  const ended = await retry(() => cancelExecution(db, organizationId, executionId), cancelRetries);
  if (ended) {
    void hintStop(hints, 'CANCELLED', [ended]);
    const { model, eventId } = ended;
    log.info({ executionId, organizationId, model, eventId, status: 'CANCELLED' }, 'execution ended');
  }
  return await findExecution(db, organizationId, executionId);
}

/** Those of these that are open, in one statement; returns how many they were. */
export async function cancelAll(
  { db, hints }: Cancelling,
  organizationId: string,
  ids: readonly string[],
): Promise<number> {
  const ended = await retry(() => cancelExecutions(db, organizationId, ids), cancelRetries);
  void hintStop(hints, 'CANCELLED', ended);
  return ended.length;
}

/** The same; twice is fine. @throws ApiError NOT_FOUND, EXECUTION_ALREADY_TERMINAL when it has ended in another way */
export async function cancel(
  args: Cancelling,
  organizationId: string,
  executionId: string,
): Promise<Execution> {
  const execution = await cancelUnlessEnded(args, organizationId, executionId);
  if (execution.status !== 'CANCELLED') {
    throw new ApiError(
      'EXECUTION_ALREADY_TERMINAL',
      `The execution is already ${execution.status} and cannot be cancelled.`,
    );
  }
  return execution;
}

const expiryBatch = 500;

/**
 * -> EXPIRED, holds released, providers stopped. Leaves out organizations whose balance is locked by another session, and keeps
 * them in `locked` until a later call finds them unlocked. @throws after all others are expired, when the database refuses one
 */
export async function expireDue(args: {
  db: Database;
  hints: EndingHints;
  onEnded: OnEnded;
  locked: Set<string>;
}): Promise<void> {
  const { db, locked } = args;
  const stillLocked = locked.size > 0 ? await lockedOrganizations(db, [...locked]) : locked;
  for (const id of locked) if (!stillLocked.has(id)) locked.delete(id);
  for (;;) {
    const startedAtMs = Date.now();
    const { ended, rejection } = await expireBatch(db, locked);
    args.onEnded(ended, startedAtMs);
    await hintStop(args.hints, 'EXPIRED', ended);
    if (rejection) throw rejection;
    if (ended.length < expiryBatch) return;
  }
}

type Expired = { ended: EndedExecution[]; rejection?: Error };

async function expireBatch(db: Database, locked: Set<string>): Promise<Expired> {
  try {
    return { ended: await expireExecutions(db, expiryBatch, { except: [...locked] }) };
  } catch (error) {
    if (isRejection(error)) return await expireEach(db, locked, error);
    if (!isLockTimeout(error)) throw error;
    const known = locked.size;
    const overdue = await overdueExecutions(db, expiryBatch, [...locked]);
    const owners = overdue.map(({ organizationId }) => organizationId);
    for (const id of await lockedOrganizations(db, owners)) locked.add(id);
    if (locked.size === known) throw error;
    return await expireBatch(db, locked);
  }
}

/** When the database refuses a corrupt execution, the others are expired one by one. */
async function expireEach(db: Database, locked: Set<string>, rejection: Error): Promise<Expired> {
  const ended: EndedExecution[] = [];
  for (const { id } of await overdueExecutions(db, expiryBatch, [...locked])) {
    const expired = await expireExecutions(db, 1, { id }).catch((error: unknown) => {
      if (!isRejection(error)) throw error;
      return [];
    });
    ended.push(...expired);
  }
  return { ended, rejection };
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
