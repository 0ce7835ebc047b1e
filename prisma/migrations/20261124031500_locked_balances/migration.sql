-- Locks balances, in order of id, and returns their current values. A function of its own: to read a row again that it had
-- to wait for, PostgreSQL sets up the whole statement a second time, and those that hold and settle are long.
CREATE FUNCTION locked_balances(ids text[])
RETURNS TABLE (organization_id text, available numeric, held numeric, sequence bigint, overage text, spend_limit_overage text)
LANGUAGE plpgsql ROWS 10 AS $$
BEGIN
  RETURN QUERY SELECT b.organization_id, b.available, b.held, b.sequence, b.overage, b.spend_limit_overage
  FROM public.balances b WHERE b.organization_id = ANY (ids) ORDER BY b.organization_id FOR UPDATE;
END
$$;
