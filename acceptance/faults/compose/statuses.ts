import { expectNone } from './checks.ts';
import type { Accepted, Span } from './load.ts';
import type { ExecutionRecord } from './records.ts';

/** Whether the provider was killed during the run, and lost it. */
function wasLost({ created_at, completed_at, error }: ExecutionRecord, losses: Span[]): boolean {
  if (error?.code !== 'MODEL_UNAVAILABLE') return false;
  return losses.some(
    ({ from, to }) =>
      Date.parse(created_at) <= to && (completed_at === null || Date.parse(completed_at) >= from),
  );
}

/** The number of executions that the provider lost. */
export function countLost(records: ExecutionRecord[], losses: Span[]): number {
  return records.filter((record) => record.status === 'FAILED' && wasLost(record, losses)).length;
}

/** Checks that each create made exactly one execution. */
export function expectAllThere(accepted: Accepted, records: ExecutionRecord[], count: number): void {
  const listed = new Set(records.map(({ id }) => id));
  expectNone(
    'accepted but missing',
    [...accepted.keys()].filter((id) => !listed.has(id)),
  );
  expectNone(
    'created but never accepted',
    [...listed].filter((id) => !accepted.has(id)),
  );
  if (listed.size !== count || records.length !== count)
    throw new Error(`${count} expected, ${listed.size} found`);
}

/** Checks that each execution has its expected final status, except what the provider lost. */
export function expectAllEnded(accepted: Accepted, records: ExecutionRecord[], losses: Span[]): void {
  const wrong = records.flatMap((record) => {
    const ends = accepted.get(record.id)?.ends;
    const { id, status, error } = record;
    if (ends?.status === status && ends.errorCode === (error?.code ?? null)) return [];
    if (status === 'FAILED' && wasLost(record, losses)) return [];
    return [`${id} ${status} ${error?.code ?? ''} instead of ${ends?.status} ${ends?.errorCode ?? ''}`];
  });
  expectNone('have an unexpected final status', wrong);
}
