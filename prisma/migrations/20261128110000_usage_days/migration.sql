-- The sums of `usage_hours` by day (UTC), for each organization up to a day that has ended: a year of usage is then a few
-- hundred rows. Later days have hours only.
CREATE TABLE usage_days (
  organization_id text NOT NULL,
  day date NOT NULL,
  model text NOT NULL,
  api_key_id text NOT NULL,
  executions bigint NOT NULL,
  cost numeric(24, 8) NOT NULL,
  written_off numeric(24, 8) NOT NULL,
  input_tokens bigint NOT NULL,
  output_tokens bigint NOT NULL,
  CONSTRAINT usage_days_pkey PRIMARY KEY (organization_id, day, model, api_key_id)
);

-- Sums up the days before `until` that have no sums yet, and again those from `since` on. The caller keeps others from
-- changing hours of these organizations and days.
CREATE FUNCTION sum_usage_days(organizations text[], since timestamptz, until timestamptz) RETURNS void
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO usage_days AS d
  SELECT h.organization_id, (h.hour AT TIME ZONE 'UTC')::date, h.model, h.api_key_id, sum(h.executions), sum(h.cost),
    sum(h.written_off), sum(h.input_tokens), sum(h.output_tokens)
  FROM unnest(organizations) AS o (id) CROSS JOIN LATERAL (
    SELECT coalesce((max(day) + 1)::timestamp AT TIME ZONE 'UTC', '-infinity') AS first FROM usage_days
    WHERE organization_id = o.id
  ) s CROSS JOIN LATERAL (
    SELECT * FROM usage_hours WHERE organization_id = o.id AND hour >= least(s.first, since) AND hour < until
  ) h
  GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
  ON CONFLICT (organization_id, day, model, api_key_id) DO UPDATE SET executions = excluded.executions,
    cost = excluded.cost, written_off = excluded.written_off, input_tokens = excluded.input_tokens,
    output_tokens = excluded.output_tokens;
END $$;
REVOKE ALL ON FUNCTION sum_usage_days FROM PUBLIC;

-- The first settlement of an hour sums up the days that have ended. A day is summed up an hour after its end, and corrected
-- by any later settlement of it, so a clock that is turned back by less changes no sum. Settlements lock the balance first.
CREATE OR REPLACE FUNCTION count_usage() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  since timestamptz;
  organizations text[];
BEGIN
  SELECT date_trunc('day', min(completed_at), 'UTC') INTO since FROM after WHERE status = 'COMPLETED';
  IF since IS NULL THEN RETURN NULL; END IF;
  WITH counted AS (
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
      input_tokens = u.input_tokens + excluded.input_tokens, output_tokens = u.output_tokens + excluded.output_tokens
    RETURNING u.organization_id, u.hour, u.xmax = 0 AS is_new
  )
  SELECT array_agg(DISTINCT organization_id) INTO organizations FROM counted
  WHERE is_new OR hour < date_trunc('day', clock_timestamp(), 'UTC');
  IF organizations IS NOT NULL THEN
    PERFORM sum_usage_days(organizations, since, date_trunc('day', clock_timestamp() - interval '1 hour', 'UTC'));
  END IF;
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION count_usage FROM PUBLIC;

-- What `usage_hours` has to be, of the executions that are kept.
CREATE FUNCTION usage_of_executions() RETURNS TABLE (organization_id text, hour timestamptz, model text, api_key_id text,
  executions bigint, cost numeric, written_off numeric, input_tokens bigint, output_tokens bigint) LANGUAGE sql STABLE AS $$
  SELECT organization_id, date_trunc('hour', completed_at, 'UTC'), model, coalesce(api_key_id, ''), count(*), sum(cost),
    coalesce(sum(written_off), 0), coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0)
  FROM executions WHERE status = 'COMPLETED' GROUP BY 1, 2, 3, 4
$$;

-- Counts the executions anew that are kept. The first week of their months may contain some of a month that was dropped.
CREATE OR REPLACE FUNCTION recount_usage() RETURNS void LANGUAGE sql SET search_path = public, pg_temp AS $$
  LOCK TABLE usage_hours;
  DELETE FROM usage_hours WHERE hour >= (
    SELECT min(month)::timestamp AT TIME ZONE 'UTC' + interval '7 days' FROM month_partitions() WHERE parent = 'executions');
  INSERT INTO usage_hours AS u SELECT * FROM usage_of_executions()
  ON CONFLICT (organization_id, hour, model, api_key_id) DO UPDATE SET executions = excluded.executions,
    cost = excluded.cost, written_off = excluded.written_off, input_tokens = excluded.input_tokens,
    output_tokens = excluded.output_tokens
    WHERE u.executions <= excluded.executions;
  DELETE FROM usage_days;
  SELECT sum_usage_days(ARRAY (SELECT DISTINCT organization_id FROM usage_hours), '-infinity',
    date_trunc('day', clock_timestamp() - interval '1 hour', 'UTC'));
$$;
REVOKE ALL ON FUNCTION recount_usage FROM PUBLIC;

-- Not yesterday: a transaction that began with the earlier function may count in it yet.
SELECT sum_usage_days(ARRAY (SELECT DISTINCT organization_id FROM usage_hours), '-infinity',
  date_trunc('day', now() - interval '1 day', 'UTC'));
