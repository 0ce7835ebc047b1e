import type { Database } from '@holdfast/db/client';
import type { ExecutionStatus } from '@holdfast/domain/statuses';
import { money, units } from './amounts.ts';

/** Status, journal and events of one execution. */
export type History = {
  id: string;
  organizationId: string;
  apiKeyId: string;
  status: ExecutionStatus;
  hold: string;
  cost: string | null;
  /** The part of the price that was not charged; null: nothing. */
  writtenOff: string | null;
  /** The price of which only the hold was charged; null: it is not in review. */
  reviewed: string | null;
  wasStarted: boolean;
  /** In the order of the journal, e.g. `hold 0.60000000, release 0.60000000`. */
  money: string;
  /** In the order of their names. */
  events: string;
};

export async function readHistories(owner: Database, organizationIds: string[]): Promise<History[]> {
  const { rows } = await owner.pool.query<History>(query, [organizationIds]);
  return rows;
}

// The ids of an execution's events are derived from its own: one for the start, one for any ending.
const query = `
SELECT e.id, e.organization_id AS "organizationId", e.api_key_id AS "apiKeyId", e.status, e.hold_amount AS hold, e.cost,
  e.written_off AS "writtenOff", (SELECT reported_cost FROM reviews WHERE execution_id = e.id) AS reviewed,
  e.started_at IS NOT NULL AS "wasStarted",
  (SELECT coalesce(string_agg(kind || ' ' || amount, ', ' ORDER BY sequence), '') FROM transfers t
    WHERE t.execution_id = e.id) AS money,
  (SELECT coalesce(string_agg(type, ', ' ORDER BY type), '') FROM events v
    WHERE v.id IN (event_id(e.id, 'execution.started'), event_id(e.id, 'execution.completed'))) AS events
FROM executions e WHERE e.organization_id = ANY ($1::text[]) ORDER BY e.id`;

/** The history that its status implies: at most one charge, at most one terminal event. */
export function expectedHistory(history: History): History {
  const { status, wasStarted } = history;
  const ending = endings[status];
  const events = [ending, wasStarted && 'execution.started'].filter(Boolean).join(', ');
  return { ...history, events, money: [`hold ${history.hold}`, ...resolution(history)].join(', ') };
}

const endings: Record<ExecutionStatus, string | null> = {
  PENDING: null,
  PROCESSING: null,
  AWAITING_WEBHOOK: null,
  COMPLETED: 'execution.completed',
  FAILED: 'execution.failed',
  CANCELLED: 'execution.cancelled',
  EXPIRED: 'execution.expired',
};

function resolution({ status, hold, cost, writtenOff }: History): string[] {
  if (endings[status] === null) return [];
  if (status !== 'COMPLETED') return [`release ${hold}`];
  const rest = units(hold) - units(cost ?? '');
  return [
    ...(rest < 0n ? [`overage ${money(-rest)}`] : []),
    `settle ${cost}`,
    ...(rest > 0n ? [`remainder ${money(rest)}`] : []),
    ...(writtenOff ? [`write_off ${writtenOff}`] : []),
  ];
}
