import { type TransitionName, transitions } from '@holdfast/domain/statuses';
import { listeners } from './listeners.ts';
import { quoted } from './statusList.ts';

export type Ended = {
  executionId: string;
  organizationId: string;
  model: string;
  /** Its place in a trace, which its event has too. */
  traceparent: string | null;
  /** Null when nobody receives the event. */
  eventId: string | null;
};

/**
 * The statement of every ending: status, money and event in one. `asked` is a query of the rows to end (`id`, `status`
 * and whatever `set` reads as `c.*`), locked in order of id; of these, those in a from-state get the ending, and nobody
 * else does.
 *
 * With a cost the hold is settled: `overage` takes what the hold lacks from `available`, `settle` is the cost,
 * `remainder` gives back the rest. Without one the hold is released entirely. The balances follow from what is added to
 * the journal (trigger `transfers_post`).
 */
export function endingStatement(args: {
  transition: Extract<TransitionName, 'complete' | 'fail' | 'cancel' | 'expire'>;
  /** CTEs that `asked` reads. */
  first?: string;
  asked: string;
  set: string;
  /** What the parameters say of `e.id`: the months to look in. */
  among: string;
  /** A further CTE of the same transaction. */
  also?: string;
}): string {
  const { from, to, event } = transitions[args.transition];
  return `
WITH ${args.first ? `${args.first},\n` : ''}candidate AS (${args.asked}),
ended AS (
  UPDATE executions e SET status = '${to}', completed_at = now()${args.set && `, ${args.set}`} FROM candidate c
  WHERE e.id = c.id AND ${args.among} AND c.status IN (${quoted(from)})
  RETURNING e.id, e.organization_id, e.api_key_id, e.hold_amount AS hold, e.cost, e.webhook_url IS NOT NULL AS has_url,
    e.model, e.traceparent,
    date_trunc('month', e.created_at AT TIME ZONE 'UTC')::date AS month
),
balance AS (
  SELECT organization_id, available, held, sequence FROM balances
  WHERE organization_id = ANY (ARRAY (SELECT DISTINCT organization_id FROM ended)) ORDER BY organization_id FOR UPDATE
),
movement AS (
  SELECT e.organization_id, e.id, v.* FROM ended e CROSS JOIN LATERAL (VALUES
    (1, 'overage', 'available', 'held', e.cost - e.hold, e.hold - e.cost, e.cost - e.hold),
    (2, 'settle', 'held', 'revenue', e.cost, 0, -e.cost),
    (3, 'remainder', 'held', 'available', e.hold - e.cost, e.hold - e.cost, e.cost - e.hold),
    (4, 'release', 'held', 'available', CASE WHEN e.cost IS NULL THEN e.hold END, e.hold, -e.hold)
  ) AS v (step, kind, debit, credit, amount, to_available, to_held)
  WHERE v.amount > 0 OR (v.kind = 'settle' AND v.amount = 0)
),
journal AS (
  INSERT INTO transfers (organization_id, sequence, kind, debit_account, credit_account, amount, available_after,
    held_after, execution_id)
  SELECT m.organization_id, b.sequence + row_number() OVER w, m.kind, m.debit, m.credit, m.amount,
    b.available + sum(m.to_available) OVER w, b.held + sum(m.to_held) OVER w, m.id
  FROM movement m JOIN balance b USING (organization_id)
  WINDOW w AS (PARTITION BY m.organization_id ORDER BY m.id, m.step)
),
spent AS (
  SELECT scope_id, month, spent FROM spend_limits WHERE scope_id = ANY (ARRAY (
    SELECT organization_id FROM ended UNION SELECT api_key_id FROM ended
  )) AND (SELECT count(*) FROM balance) > 0 ORDER BY scope_id FOR UPDATE
),
spending AS (
  UPDATE spend_limits l SET spent = greatest(0, s.spent - t.freed) FROM spent s JOIN (
    SELECT scope_id, month, sum(hold - coalesce(cost, 0)) AS freed
    FROM ended CROSS JOIN LATERAL (VALUES (organization_id), (api_key_id)) v (scope_id)
    WHERE EXISTS (SELECT FROM spent) GROUP BY scope_id, month
  ) t USING (scope_id, month)
  WHERE l.scope_id = s.scope_id
),
listener AS (${listeners('ended', event)}),
event AS (
  INSERT INTO events (id, organization_id, execution_id, type, fanned_out_at, traceparent)
  SELECT event_id(id, '${event}'), organization_id, id, '${event}',
    CASE WHEN NOT has_url AND organization_id NOT IN (SELECT organization_id FROM listener) THEN now() END, traceparent
  FROM ended
  RETURNING id, execution_id, fanned_out_at
)${args.also ? `,\n${args.also}` : ''}
SELECT e.id AS "executionId", e.organization_id AS "organizationId", e.model, e.traceparent,
  CASE WHEN v.fanned_out_at IS NULL THEN v.id END AS "eventId" FROM ended e JOIN event v ON v.execution_id = e.id`;
}
