import { terminalEventTypes } from '@holdfast/domain/events';
import { quotedList } from '../executions/read.ts';
import { isReviewedSql } from '../executions/reviews.ts';
import { hasExecutionsSql, isKeptSql, openStatusesSql } from './sql.ts';

/** Executions are dropped before their journal: there, a transfer without an execution is no breach. */
export const executionInvariants = {
  'held is the sum of open holds': `
    SELECT organization_id AS id, 'held ' || coalesce(b.held::text, 'none') || ', open holds '
      || coalesce(e.held, 0) AS found
    FROM balances b FULL JOIN (
      SELECT organization_id, sum(held) AS held FROM (
        SELECT organization_id, hold_amount AS held FROM executions WHERE status IN ${openStatusesSql}
        UNION ALL SELECT organization_id, reserved FROM batches WHERE reserved > 0
      ) o GROUP BY organization_id
    ) e USING (organization_id)
    WHERE b.held IS DISTINCT FROM coalesce(e.held, 0)`,

  'an execution has exactly one hold': `
    SELECT e.id, 'to hold ' || e.hold_amount || ', held ' || count(t.amount) || ' times'
      || coalesce(', at most ' || max(t.amount), '') AS found
    FROM executions e LEFT JOIN transfers t ON t.execution_id = e.id AND t.kind = 'hold'
    GROUP BY e.id HAVING count(t.amount) <> 1 OR max(t.amount) <> e.hold_amount`,

  'what was charged has exactly one settlement, of its cost': `
    SELECT e.id, 'cost ' || coalesce(e.cost::text, 'none') || ', settled or released ' || count(t.amount) || ' times'
      || coalesce(', at most ' || max(t.amount), '') AS found
    FROM executions e LEFT JOIN transfers t ON t.execution_id = e.id AND t.kind IN ('settle', 'release')
    WHERE e.cost IS NOT NULL GROUP BY e.id
    HAVING count(t.amount) <> 1 OR max(t.amount) IS DISTINCT FROM e.cost OR max(t.kind) <> 'settle'`,

  'a write-off is what COMPLETED cost beyond its charge': `
    SELECT coalesce(e.id, t.execution_id) AS id, 'charged ' || coalesce(e.cost::text, 'nothing') || ' of '
      || coalesce(a.outcome ->> 'cost', 'an unknown cost') || ', hold ' || coalesce(e.hold_amount::text, 'none')
      || ', written off ' || coalesce(e.written_off, 0) || ', by ' || coalesce(t.times, 0) || ' transfers of '
      || coalesce(t.amount, 0) AS found
    FROM (
      SELECT id, cost, hold_amount, written_off FROM executions WHERE written_off IS NOT NULL
    ) e FULL JOIN (
      SELECT execution_id, count(*) AS times, sum(amount) AS amount FROM transfers
      WHERE kind = 'write_off' AND ${hasExecutionsSql} GROUP BY execution_id
    ) t ON t.execution_id = e.id LEFT JOIN attempts a ON a.execution_id = e.id AND a.state = 'succeeded'
    WHERE t.times IS DISTINCT FROM 1 OR e.written_off IS DISTINCT FROM t.amount OR e.cost < e.hold_amount
      OR e.cost + e.written_off <> (a.outcome ->> 'cost')::numeric(24, 8)`,

  // Reviews are kept for longer than their executions.
  'a review is of COMPLETED, of a cost far above the hold that was charged': `
    SELECT r.execution_id AS id, 'reported ' || r.reported_cost || ', hold ' || r.hold || ', the execution '
      || coalesce(e.status || ' of ' || e.organization_id || ', hold ' || e.hold_amount || coalesce(', cost ' || e.cost, ''),
        'is not there') AS found
    FROM reviews r LEFT JOIN executions e ON e.id = r.execution_id
    WHERE NOT (${isReviewedSql('r.reported_cost', 'r.hold')})
      OR CASE WHEN e.id IS NULL THEN ${isKeptSql('r.execution_id')} ELSE e.status <> 'COMPLETED'
        OR e.organization_id <> r.organization_id OR e.hold_amount <> r.hold OR e.cost IS DISTINCT FROM r.hold
        OR e.written_off IS NOT NULL END`,

  'an accepted review was charged by a correction of its own': `
    SELECT r.execution_id AS id, 'accepted for ' || r.charged || ', transfer ' || r.correction || ' is '
      || coalesce(t.kind || ' of ' || t.amount || ' from ' || t.debit_account, 'not there') AS found
    FROM reviews r LEFT JOIN transfers t
      ON t.organization_id = r.organization_id AND t.sequence = r.correction AND t.execution_id IS NULL
    WHERE r.state = 'accepted' AND ((t.kind, t.debit_account, t.amount, t.idempotency_key)
        IS DISTINCT FROM ('correction', 'available', r.charged, r.idempotency_key)
      OR EXISTS (
        SELECT FROM reviews o WHERE o.organization_id = r.organization_id AND o.correction = r.correction
          AND o.execution_id <> r.execution_id))`,

  'refunds return at most the charge of an execution of the organization': `
    SELECT t.refund_of AS id, 'refunded ' || t.amount || ' to ' || t.organization_id || ', the execution '
      || coalesce('of ' || e.organization_id || ' was charged ' || coalesce(e.cost, 0) + coalesce(r.charged, 0), 'is not there')
      AS found
    FROM (
      SELECT refund_of, min(organization_id) AS organization_id, max(organization_id) AS other, sum(amount) AS amount
      FROM transfers WHERE execution_id IS NULL AND refund_of IS NOT NULL GROUP BY refund_of
    ) t LEFT JOIN executions e ON e.id = t.refund_of LEFT JOIN reviews r ON r.execution_id = t.refund_of
    WHERE t.organization_id <> t.other OR CASE WHEN e.id IS NULL THEN ${isKeptSql('t.refund_of')}
      ELSE t.organization_id <> e.organization_id OR t.amount > coalesce(e.cost, 0) + coalesce(r.charged, 0) END`,

  'a cost above the hold was charged, written off or is in review': `
    SELECT e.id, 'charged its hold of ' || e.hold_amount || ', of at least ' || min(a.cost) AS found
    FROM executions e LEFT JOIN reviews r ON r.execution_id = e.id CROSS JOIN LATERAL (
      SELECT (outcome ->> 'cost')::numeric AS cost FROM attempts WHERE execution_id = e.id AND state = 'succeeded'
    ) a
    WHERE e.status = 'COMPLETED' AND e.cost = e.hold_amount AND e.written_off IS NULL AND r.execution_id IS NULL
    GROUP BY e.id, e.hold_amount HAVING min(a.cost) > e.hold_amount`,

  'FAILED, EXPIRED and a free CANCELLED have one release and no charge': `
    SELECT e.id, count(t.amount) || ' transfers after the hold' || coalesce(': ' || min(t.kind) || ' of at most '
      || max(t.amount), '') AS found
    FROM executions e LEFT JOIN transfers t ON t.execution_id = e.id AND t.kind <> 'hold'
    WHERE e.status IN ('FAILED', 'CANCELLED', 'EXPIRED') AND e.cost IS NULL GROUP BY e.id
    HAVING count(t.amount) <> 1 OR max(t.kind) <> 'release' OR max(t.amount) <> e.hold_amount`,

  'an open execution has no resolution': `
    SELECT e.id, t.kind || ' ' || t.amount AS found FROM executions e JOIN transfers t ON t.execution_id = e.id
    WHERE e.status IN ${openStatusesSql} AND t.kind <> 'hold'`,

  'COMPLETED has its cost and the others none, but a cancelled stream that charges what was shown': `
    SELECT e.id, e.status || ', cost ' || coalesce(e.cost::text, 'none') || coalesce(', shown for ' || s.cost, '') AS found
    FROM executions e LEFT JOIN streams s ON s.execution_id = e.id
    WHERE CASE WHEN e.status = 'CANCELLED' AND e.on_cancel = 'charge' AND s.shown_by IS NOT NULL
      THEN e.cost IS DISTINCT FROM least(s.cost, e.hold_amount) ELSE (e.status = 'COMPLETED') <> (e.cost IS NOT NULL) END`,

  'an ended stream is closed, and has as many events as were written': `
    SELECT e.id, e.status || ', stream ' || CASE WHEN s.execution_id IS NULL THEN 'not there' WHEN s.closed_at IS NULL THEN 'open'
      ELSE 'of ' || s.events || ' events, there are ' || v.events END AS found
    FROM executions e LEFT JOIN streams s ON s.execution_id = e.id CROSS JOIN LATERAL (
      SELECT count(*) AS events FROM stream_events WHERE execution_id = e.id
    ) v
    WHERE e.on_cancel IS NOT NULL AND ((s.closed_at IS NULL) <> (e.completed_at IS NULL)
      OR s.events <> v.events AND s.cleared_at IS NULL AND e.erased_at IS NULL)`,

  'an organization was charged the costs of its executions': `
    SELECT organization_id AS id, 'charged ' || coalesce(t.charged, 0) || ', costs ' || coalesce(e.costs, 0) AS found
    FROM (
      SELECT organization_id, sum(amount) AS charged FROM transfers WHERE kind = 'settle' AND ${hasExecutionsSql}
      GROUP BY organization_id
    ) t FULL JOIN (
      SELECT organization_id, sum(cost) AS costs FROM executions WHERE cost IS NOT NULL GROUP BY organization_id
    ) e USING (organization_id)
    WHERE coalesce(t.charged, 0) <> coalesce(e.costs, 0)`,

  'a transfer is of an execution of its organization': `
    WITH astray AS MATERIALIZED (
      SELECT t.execution_id, t.organization_id, t.sequence, e.organization_id AS owner
      FROM transfers t LEFT JOIN executions e ON e.id = t.execution_id
      WHERE t.execution_id IS NOT NULL AND t.organization_id IS DISTINCT FROM e.organization_id
    )
    SELECT execution_id AS id, 'transfer ' || sequence || ' of ' || organization_id || ', the execution '
      || coalesce('is of ' || owner, 'is not there') AS found
    FROM astray WHERE owner IS NOT NULL OR ${isKeptSql('execution_id')}`,

  'an idempotency key is of an execution of its organization': `
    WITH astray AS MATERIALIZED (
      SELECT k.execution_id, k.organization_id, k.key, e.organization_id AS owner
      FROM idempotency_keys k LEFT JOIN executions e ON e.id = k.execution_id
      WHERE k.organization_id IS DISTINCT FROM e.organization_id
    )
    SELECT execution_id AS id, 'key ' || to_json(key) || ' of ' || organization_id || ', the execution '
      || coalesce('is of ' || owner, 'is not there') AS found
    FROM astray WHERE owner IS NOT NULL OR ${isKeptSql('execution_id')}`,

  'an ending has exactly one event': `
    SELECT e.id, e.status || ', events: ' || count(v.type) || coalesce(', the last ' || max(v.type), '') AS found
    FROM executions e LEFT JOIN events v ON v.execution_id = e.id AND v.type IN (${quotedList(terminalEventTypes)})
    GROUP BY e.id HAVING (count(v.type) <> CASE WHEN e.status IN ${openStatusesSql} THEN 0 ELSE 1 END
        AND NOT (e.events IS NOT NULL AND count(v.type) = 0))
      OR max(v.type) <> 'execution.' || lower(e.status)`,

  'a spend limit counts what was spent in its month': `
    WITH this AS (SELECT date_trunc('month', now() AT TIME ZONE 'UTC') AS month), spent AS (
      SELECT organization_id, api_key_id, sum(CASE WHEN completed_at IS NULL THEN hold_amount ELSE cost END) AS spent
      FROM executions
      WHERE created_at >= (SELECT month AT TIME ZONE 'UTC' FROM this)
        AND id >= month_bound('exec', (SELECT (month - interval '3 days')::date FROM this))
      GROUP BY organization_id, api_key_id
    )
    SELECT l.scope_id AS id, 'counted ' || l.spent || ', spent ' || coalesce(e.spent, 0) AS found
    FROM spend_limits l LEFT JOIN (
      SELECT organization_id, organization_id AS scope_id, sum(spent) AS spent FROM spent GROUP BY organization_id
      UNION ALL SELECT organization_id, api_key_id, sum(spent) FROM spent GROUP BY organization_id, api_key_id
    ) e USING (organization_id, scope_id)
    WHERE l.month = (SELECT month FROM this)::date AND l.spent <> coalesce(e.spent, 0)`,

  // In the first week of the months that are kept, executions of a month that was dropped may have completed.
  'the usage of an hour is that of the executions completed in it': `
    WITH kept AS (
      SELECT min(month)::timestamp AT TIME ZONE 'UTC' AS since FROM month_partitions() WHERE parent = 'executions'
    )
    SELECT organization_id AS id, hour || ', ' || model || ': counted ' || coalesce(u.executions, 0) || ' that cost '
      || coalesce(u.cost, 0) || ', completed ' || coalesce(e.executions, 0) || ' that cost ' || coalesce(e.cost, 0) AS found
    FROM (SELECT * FROM usage_hours WHERE executions <> 0) u
      FULL JOIN usage_of_executions() e USING (organization_id, hour, model, api_key_id) CROSS JOIN kept
    WHERE hour >= since
      AND (u.executions, u.cost, u.written_off, u.input_tokens, u.output_tokens)
        IS DISTINCT FROM (e.executions, e.cost, e.written_off, e.input_tokens, e.output_tokens)
      AND NOT (hour < since + interval '7 days' AND coalesce(u.executions, 0) > coalesce(e.executions, 0))`,

  'the usage of a day is the sum of its hours': `
    WITH summed AS (SELECT organization_id, max(day) AS last FROM usage_days GROUP BY organization_id), h AS (
      SELECT organization_id, (hour AT TIME ZONE 'UTC')::date AS day, model, api_key_id, sum(executions) AS executions,
        sum(cost) AS cost, sum(written_off) AS written_off, sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens
      FROM usage_hours JOIN summed USING (organization_id) WHERE (hour AT TIME ZONE 'UTC')::date <= last
      GROUP BY 1, 2, 3, 4
    )
    SELECT organization_id AS id, day || ', ' || model || ': ' || coalesce(d.executions, 0) || ' that cost '
      || coalesce(d.cost, 0) || ', hours: ' || coalesce(h.executions, 0) || ' that cost ' || coalesce(h.cost, 0) AS found
    FROM usage_days d FULL JOIN h USING (organization_id, day, model, api_key_id)
    WHERE (d.executions, d.cost, d.written_off, d.input_tokens, d.output_tokens)
        IS DISTINCT FROM (h.executions, h.cost, h.written_off, h.input_tokens, h.output_tokens)`,

  'an erased execution has ended, and nothing of it is left': `
    SELECT id, status || ', erased at ' || erased_at AS found FROM executions
    WHERE erased_at IS NOT NULL AND (completed_at IS NULL OR input::text <> '{}' OR metadata IS NOT NULL
      OR webhook_url IS NOT NULL OR output IS NOT NULL OR error_message IS NOT NULL)`,
} as const;
