-- As before, but balances and holds are found by their keys whatever the planner believes about the tables: a range of one
-- key, as db/src/statement.ts explains, and a condition that no index serves.
CREATE OR REPLACE FUNCTION post_transfers() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off AS $$
DECLARE
  journals bigint;
  moved bigint;
  low text;
  has_overage boolean;
  refused text;
BEGIN
  WITH entry AS (
    SELECT *, lag(sequence) OVER journal AS sequence_before, lag(available_after) OVER journal AS available_before,
      lag(held_after) OVER journal AS held_before,
      CASE 'available' WHEN credit_account THEN amount WHEN debit_account THEN -amount ELSE 0 END AS to_available,
      CASE 'held' WHEN credit_account THEN amount WHEN debit_account THEN -amount ELSE 0 END AS to_held
    FROM added WINDOW journal AS (PARTITION BY organization_id ORDER BY sequence)
  ),
  journal AS (
    SELECT organization_id, min(sequence) AS first, max(sequence) AS last,
      bool_and(sequence_before IS NULL OR (sequence = sequence_before + 1
        AND available_after = available_before + to_available AND held_after = held_before + to_held)) AS is_chain,
      max(available_after - to_available) FILTER (WHERE sequence_before IS NULL) AS available,
      max(held_after - to_held) FILTER (WHERE sequence_before IS NULL) AS held,
      sum(to_available) AS to_available, sum(to_held) AS to_held
    FROM entry GROUP BY organization_id
  ),
  posted AS (
    UPDATE balances b SET available = b.available + j.to_available, held = b.held + j.to_held, sequence = j.last
    FROM journal j
    WHERE b.organization_id >= j.organization_id AND b.organization_id <= j.organization_id
      AND j.is_chain AND b.sequence = j.first - 1
      AND b.available = j.available AND b.held = j.held
    RETURNING 1
  )
  SELECT (SELECT count(*) FROM journal), (SELECT count(*) FROM posted) INTO journals, moved;
  IF journals <> moved THEN
    RAISE EXCEPTION 'transfers that do not follow from the balance are refused' USING ERRCODE = 'check_violation';
  END IF;

  -- The months to look in.
  SELECT min(execution_id), bool_or(kind IN ('overage', 'write_off')) INTO low, has_overage
  FROM added WHERE kind <> 'hold';
  IF low IS NULL THEN RETURN NULL; END IF;
  SELECT r.execution_id INTO refused FROM (
    SELECT execution_id, organization_id,
      sum(CASE 'held' WHEN debit_account THEN amount WHEN credit_account THEN -amount ELSE 0 END) AS resolved
    FROM added WHERE kind NOT IN ('top_up', 'correction', 'hold') GROUP BY execution_id, organization_id
  ) r LEFT JOIN LATERAL (
    SELECT amount FROM transfers h
    WHERE h.execution_id = r.execution_id AND h.execution_id >= low
      AND CASE WHEN h.organization_id = r.organization_id THEN true END
      AND (CASE h.kind WHEN 'hold' THEN 1 WHEN 'settle' THEN 2 WHEN 'release' THEN 2 WHEN 'write_off' THEN 4 ELSE 3 END)
        = 1 LIMIT 1
  ) h ON true
  WHERE h.amount IS DISTINCT FROM r.resolved LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'what resolves the hold of % does not add up to it', refused USING ERRCODE = 'check_violation';
  END IF;

  IF NOT has_overage THEN RETURN NULL; END IF;
  SELECT a.execution_id INTO refused FROM added a JOIN LATERAL (
    SELECT coalesce(b.overage, s.overage, 'charge') = 'cap' AS caps_balance,
      coalesce(b.spend_limit_overage, s.spend_limit_overage, 'charge') = 'cap' AS caps_spending
    FROM balances b LEFT JOIN ledger_settings s ON s.id = 1 WHERE b.organization_id = a.organization_id
  ) policy ON true
  WHERE (a.kind = 'overage' AND policy.caps_balance AND a.available_after < 0)
    OR (a.kind = 'overage' AND policy.caps_spending AND EXISTS (
      SELECT FROM executions e JOIN spend_limits l ON l.scope_id IN (e.organization_id, e.api_key_id)
      WHERE e.id = a.execution_id AND e.id >= low
        AND (l.spent > l.amount OR l.month <> date_trunc('month', e.created_at AT TIME ZONE 'UTC')::date)))
    OR (a.kind = 'write_off' AND (NOT (policy.caps_balance OR policy.caps_spending) OR EXISTS (
      SELECT FROM added r WHERE r.execution_id = a.execution_id AND r.kind = 'remainder')))
  LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'what is charged or written off above the hold of % is not what the overage policy allows', refused
      USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END $$;
