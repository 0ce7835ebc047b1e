import { type TransitionName, transitions } from '@holdfast/domain/statuses';
import { quoted } from './statusList.ts';

export type Ended = { executionId: string; organizationId: string; eventId: string };

/**
 * The statement of every ending: status, money and event in one. `candidates` is a query of the rows to end (`id` and
 * whatever `set` reads as `c.*`), locked in order of id; of these, those still in a from-state get the ending, and
 * nobody else does.
 *
 * With a cost the hold is settled: `overage` takes what the hold lacks from `available`, `settle` is the cost,
 * `remainder` gives back the rest. Without one the hold is released entirely.
 */
export function endingStatement(args: {
  transition: Extract<TransitionName, 'complete' | 'fail' | 'cancel' | 'expire'>;
  candidates: string;
  set: string;
  /** A further CTE of the same transaction. */
  also?: string;
}): string {
  const { from, to, event } = transitions[args.transition];
  return `
WITH candidate AS (${args.candidates}),
ended AS (
  UPDATE executions e SET status = '${to}', completed_at = now()${args.set && `, ${args.set}`} FROM candidate c
  WHERE e.id = c.id AND e.status IN (${quoted(from)})
  RETURNING e.id, e.organization_id, e.hold_amount AS hold, e.cost
),
balance AS (
  SELECT organization_id, available, held, sequence FROM balances
  WHERE organization_id IN (SELECT organization_id FROM ended) ORDER BY organization_id FOR UPDATE
),
movement AS (
  -- By way of the balance, so that its row is locked and read before it is moved.
  SELECT e.organization_id, e.id, v.* FROM ended e JOIN balance USING (organization_id) CROSS JOIN LATERAL (VALUES
    (1, 'overage', 'available', 'held', e.cost - e.hold, e.hold - e.cost, e.cost - e.hold),
    (2, 'settle', 'held', 'revenue', e.cost, 0, -e.cost),
    (3, 'remainder', 'held', 'available', e.hold - e.cost, e.hold - e.cost, e.cost - e.hold),
    (4, 'release', 'held', 'available', CASE WHEN e.cost IS NULL THEN e.hold END, e.hold, -e.hold)
  ) AS v (step, kind, debit, credit, amount, to_available, to_held)
  WHERE v.amount > 0 OR (v.kind = 'settle' AND v.amount = 0)
),
numbered AS (
  SELECT m.*, row_number() OVER w AS position, sum(m.to_available) OVER w AS available_moved,
    sum(m.to_held) OVER w AS held_moved
  FROM movement m WINDOW w AS (PARTITION BY m.organization_id ORDER BY m.id, m.step)
),
journal AS (
  INSERT INTO transfers (organization_id, sequence, kind, debit_account, credit_account, amount, available_after,
    held_after, execution_id)
  SELECT n.organization_id, b.sequence + n.position, n.kind, n.debit, n.credit, n.amount,
    b.available + n.available_moved, b.held + n.held_moved, n.id
  FROM numbered n JOIN balance b USING (organization_id)
),
moved AS (
  UPDATE balances SET available = balances.available + t.available, held = balances.held + t.held,
    sequence = balances.sequence + t.transfers
  FROM (
    SELECT organization_id, sum(to_available) AS available, sum(to_held) AS held, count(*) AS transfers
    FROM movement GROUP BY organization_id
  ) t WHERE balances.organization_id = t.organization_id
),
event AS (
  INSERT INTO events (id, organization_id, execution_id, type)
  SELECT new_id('evt'), organization_id, id, '${event}' FROM ended
  RETURNING id, execution_id, organization_id
)${args.also ? `,\n${args.also}` : ''}
SELECT execution_id AS "executionId", organization_id AS "organizationId", id AS "eventId" FROM event`;
}
