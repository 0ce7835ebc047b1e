import { expectNone } from './checks.ts';
import type { Accepted, Span } from './load.ts';
import type { ExecutionRecord } from './records.ts';

/** The provider died while it ran: what it knew of the run went with it. */
function wasLost({ created_at, completed_at, error }: ExecutionRecord, losses: Span[]): boolean {
  if (error?.code !== 'MODEL_UNAVAILABLE') return false;
  return losses.some(
    ({ from, to }) =>
      Date.parse(created_at) <= to && (completed_at === null || Date.parse(completed_at) >= from),
  );
}

/** How many the provider took with it. */
export function countLost(records: ExecutionRecord[], losses: Span[]): number {
  return records.filter((record) => record.status === 'FAILED' && wasLost(record, losses)).length;
}

/** Each create made one execution and no more. */
export function expectAllThere(accepted: Accepted, records: ExecutionRecord[], count: number): void {
  const listed = new Set(records.map(({ id }) => id));
  expectNone(
    'accepted and not there',
    [...accepted.keys()].filter((id) => !listed.has(id)),
  );
  expectNone(
    'there and never answered',
    [...listed].filter((id) => !accepted.has(id)),
  );
  if (listed.size !== count || records.length !== count)
    throw new Error(`${count} were wanted, ${listed.size} are there`);
}

/** Each ended as was asked; those excepted that were lost with the provider. */
export function expectAllEnded(accepted: Accepted, records: ExecutionRecord[], losses: Span[]): void {
  const wrong = records.flatMap((record) => {
    const ends = accepted.get(record.id)?.ends;
    const { id, status, error } = record;
    if (ends?.status === status && ends.errorCode === (error?.code ?? null)) return [];
    if (status === 'FAILED' && wasLost(record, losses)) return [];
    return [`${id} ${status} ${error?.code ?? ''} instead of ${ends?.status} ${ends?.errorCode ?? ''}`];
  });
  expectNone('ended otherwise than asked', wrong);
}
