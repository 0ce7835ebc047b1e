-- What the executions of an organization that completed in an hour (UTC) cost and used, by key and model. Reading a year
-- of usage reads hours and no executions. Kept when the months of the executions are dropped.
CREATE TABLE usage_hours (
  organization_id text NOT NULL,
  hour timestamptz(3) NOT NULL,
  model text NOT NULL,
  -- Empty: created without a key, by an operator.
  api_key_id text NOT NULL,
  executions bigint NOT NULL,
  cost numeric(24, 8) NOT NULL,
  written_off numeric(24, 8) NOT NULL,
  input_tokens bigint NOT NULL,
  output_tokens bigint NOT NULL,
  CONSTRAINT usage_hours_pkey PRIMARY KEY (organization_id, hour, model, api_key_id)
);
-- Updated in place where it can be.
ALTER TABLE usage_hours SET (fillfactor = 50);

-- Counts what a statement changes of COMPLETED executions. An organization's hours are locked after its balance.
CREATE FUNCTION count_usage() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM after WHERE status = 'COMPLETED') THEN RETURN NULL; END IF;
  INSERT INTO usage_hours AS u
  SELECT organization_id, date_trunc('hour', completed_at, 'UTC') AS hour, model, coalesce(api_key_id, '') AS key,
    sum(sign), sum(sign * cost), coalesce(sum(sign * written_off), 0),
    coalesce(sum(sign * input_tokens), 0), coalesce(sum(sign * output_tokens), 0)
  FROM (
    SELECT 1 AS sign, organization_id, completed_at, model, api_key_id, cost, written_off, input_tokens, output_tokens
    FROM after WHERE status = 'COMPLETED'
    UNION ALL
    SELECT -1, organization_id, completed_at, model, api_key_id, cost, written_off, input_tokens, output_tokens
    FROM before WHERE status = 'COMPLETED'
  ) e
  GROUP BY 1, 2, 3, 4
  HAVING (sum(sign), sum(sign * cost), coalesce(sum(sign * written_off), 0)) <> (0, 0, 0)
  ORDER BY 1, 2, 3, 4
  ON CONFLICT (organization_id, hour, model, api_key_id) DO UPDATE SET executions = u.executions + excluded.executions,
    cost = u.cost + excluded.cost, written_off = u.written_off + excluded.written_off,
    input_tokens = u.input_tokens + excluded.input_tokens, output_tokens = u.output_tokens + excluded.output_tokens;
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION count_usage FROM PUBLIC;
CREATE TRIGGER executions_usage AFTER UPDATE ON executions REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION count_usage();

-- Counts the executions anew that are kept. The first week of their months may contain some of a month that was dropped.
CREATE FUNCTION recount_usage() RETURNS void LANGUAGE sql SET search_path = public, pg_temp AS $$
  LOCK TABLE usage_hours;
  DELETE FROM usage_hours WHERE hour >= (
    SELECT min(month)::timestamp AT TIME ZONE 'UTC' + interval '7 days' FROM month_partitions() WHERE parent = 'executions');
  INSERT INTO usage_hours AS u
  SELECT organization_id, date_trunc('hour', completed_at, 'UTC'), model, coalesce(api_key_id, ''), count(*), sum(cost),
    coalesce(sum(written_off), 0), coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0)
  FROM executions WHERE status = 'COMPLETED' GROUP BY 1, 2, 3, 4
  ON CONFLICT (organization_id, hour, model, api_key_id) DO UPDATE SET executions = excluded.executions,
    cost = excluded.cost, written_off = excluded.written_off, input_tokens = excluded.input_tokens,
    output_tokens = excluded.output_tokens
    WHERE u.executions <= excluded.executions;
$$;
REVOKE ALL ON FUNCTION recount_usage FROM PUBLIC;
SELECT recount_usage();
