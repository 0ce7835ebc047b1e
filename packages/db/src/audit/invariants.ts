/** What must hold of the ledger at any moment: each query names the rows that break it. */
export const invariants = {
  'each balance is the sum of its transfers': `
    SELECT b.organization_id AS id, 'available ' || b.available || ', held ' || b.held || ', transfers say '
      || coalesce(t.available, 0) || ' and ' || coalesce(t.held, 0) AS found
    FROM balances b LEFT JOIN (
      SELECT organization_id,
        sum(CASE 'available' WHEN credit_account THEN amount WHEN debit_account THEN -amount ELSE 0 END) AS available,
        sum(CASE 'held' WHEN credit_account THEN amount WHEN debit_account THEN -amount ELSE 0 END) AS held
      FROM transfers GROUP BY organization_id
    ) t USING (organization_id)
    WHERE (b.available, b.held) IS DISTINCT FROM (coalesce(t.available, 0), coalesce(t.held, 0))`,
  'the journal is numbered without gaps': `
    SELECT b.organization_id AS id, 'sequence ' || b.sequence || ' of ' || count(t.sequence) || ' transfers up to '
      || coalesce(max(t.sequence), 0) AS found
    FROM balances b LEFT JOIN transfers t USING (organization_id)
    GROUP BY b.organization_id HAVING b.sequence <> count(t.sequence) OR b.sequence <> coalesce(max(t.sequence), 0)`,
  'held is the sum of open holds': `
    SELECT b.organization_id AS id, 'held ' || b.held || ', open holds ' || coalesce(sum(e.hold_amount), 0) AS found
    FROM balances b LEFT JOIN executions e
      ON e.organization_id = b.organization_id AND e.status IN ('PENDING', 'PROCESSING', 'AWAITING_WEBHOOK')
    GROUP BY b.organization_id, b.held HAVING b.held <> coalesce(sum(e.hold_amount), 0)`,
  'an execution has exactly one hold': `
    SELECT e.id, 'holds ' || coalesce(t.holds::text, 'none') AS found FROM executions e LEFT JOIN (
      SELECT execution_id, string_agg(amount::text, ', ') AS holds FROM transfers WHERE kind = 'hold' GROUP BY 1
    ) t ON t.execution_id = e.id
    WHERE t.holds IS DISTINCT FROM e.hold_amount::text`,
  'COMPLETED has exactly one settlement, of its cost': `
    SELECT e.id, 'cost ' || e.cost || ', settled ' || coalesce(string_agg(t.amount::text, ', '), 'never') AS found
    FROM executions e LEFT JOIN transfers t ON t.execution_id = e.id AND t.kind IN ('settle', 'release')
    WHERE e.status = 'COMPLETED' GROUP BY e.id
    HAVING count(t.amount) <> 1 OR max(t.amount) <> e.cost OR max(t.kind) <> 'settle'`,
  'FAILED, CANCELLED and EXPIRED have one release and no charge': `
    SELECT e.id, coalesce(string_agg(t.kind || ' ' || t.amount, ', '), 'nothing') AS found
    FROM executions e LEFT JOIN transfers t ON t.execution_id = e.id AND t.kind <> 'hold'
    WHERE e.status IN ('FAILED', 'CANCELLED', 'EXPIRED') GROUP BY e.id
    HAVING count(t.amount) <> 1 OR max(t.kind) <> 'release' OR max(t.amount) <> e.hold_amount`,
  'an open execution has no resolution': `
    SELECT e.id, t.kind || ' ' || t.amount AS found FROM executions e JOIN transfers t ON t.execution_id = e.id
    WHERE e.status IN ('PENDING', 'PROCESSING', 'AWAITING_WEBHOOK') AND t.kind <> 'hold'`,
  'an ending has exactly one event': `
    SELECT e.id, e.status || ', events: ' || coalesce(string_agg(v.type, ', '), 'none') AS found
    FROM executions e LEFT JOIN events v ON v.execution_id = e.id AND v.type <> 'execution.started'
    GROUP BY e.id HAVING coalesce(string_agg(v.type, ', '), '') <> CASE e.status WHEN 'COMPLETED' THEN
      'execution.completed' WHEN 'FAILED' THEN 'execution.failed' WHEN 'CANCELLED' THEN 'execution.cancelled'
      WHEN 'EXPIRED' THEN 'execution.expired' ELSE '' END`,
  'a spend limit counts what was spent in its month': `
    SELECT l.scope_id AS id, 'counted ' || l.spent || ', spent ' || e.spent AS found
    FROM spend_limits l CROSS JOIN LATERAL (
      SELECT coalesce(sum(CASE WHEN completed_at IS NULL THEN hold_amount ELSE cost END), 0) AS spent FROM executions
      WHERE organization_id = l.organization_id AND l.scope_id IN (organization_id, api_key_id)
        AND created_at >= l.month::timestamp AT TIME ZONE 'UTC'
    ) e WHERE l.month = date_trunc('month', now() AT TIME ZONE 'UTC')::date AND l.spent <> e.spent`,
  'a transfer moves no more than it says': `
    SELECT t.organization_id AS id, 'transfer ' || t.sequence || ' leaves ' || t.available_after || ' and '
      || t.held_after AS found
    FROM (
      SELECT *, lag(available_after, 1, 0) OVER w + lag(held_after, 1, 0) OVER w AS before,
        CASE WHEN debit_account = 'funding' THEN amount WHEN credit_account IN ('funding', 'revenue') THEN -amount
          ELSE 0 END AS moved
      FROM transfers WINDOW w AS (PARTITION BY organization_id ORDER BY sequence)
    ) t WHERE t.available_after + t.held_after <> t.before + t.moved`,
} as const;

export type Invariant = keyof typeof invariants;
