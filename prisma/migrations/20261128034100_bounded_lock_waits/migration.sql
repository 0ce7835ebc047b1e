-- As locked_balances(ids), but the statement fails (55P03) once it has waited so long for one of the balances, or for a lock
-- after them: a balance that another session keeps must not stop the organizations that share the statement.
CREATE FUNCTION locked_balances(ids text[], max_wait_ms int)
RETURNS TABLE (organization_id text, available numeric, held numeric, sequence bigint, overage text, spend_limit_overage text)
LANGUAGE plpgsql ROWS 10 AS $$
BEGIN
  PERFORM set_config('lock_timeout', max_wait_ms::text, true);
  RETURN QUERY SELECT b.organization_id, b.available, b.held, b.sequence, b.overage, b.spend_limit_overage
  FROM public.balances b WHERE b.organization_id = ANY (ids) ORDER BY b.organization_id FOR UPDATE;
END
$$;
