-- With `cap`, open executions share what the balance and the spend limits have left, in proportion to their holds. Streams at
-- once each believed to have all of it, and showed together more than could be charged.
CREATE OR REPLACE FUNCTION stream_allowance(execution text, review_factor numeric) RETURNS numeric
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off AS $$
  SELECT least(e.hold_amount * review_factor,
    CASE WHEN coalesce(b.overage, s.overage, 'charge') = 'cap' THEN e.hold_amount + greatest(b.available, 0) * o.share END,
    CASE WHEN coalesce(b.spend_limit_overage, s.spend_limit_overage, 'charge') = 'cap' THEN e.hold_amount + o.share * (
      SELECT min(CASE WHEN l.month = date_trunc('month', e.created_at AT TIME ZONE 'UTC')::date
        THEN greatest(l.amount - l.spent, 0) ELSE 0 END)
      FROM spend_limits l WHERE l.scope_id IN (e.organization_id, e.api_key_id)) END)
  FROM executions e JOIN balances b USING (organization_id) LEFT JOIN ledger_settings s ON s.id = 1
  CROSS JOIN LATERAL (SELECT e.hold_amount / greatest(b.held, e.hold_amount) AS share) o
  WHERE e.id = execution
$$;
