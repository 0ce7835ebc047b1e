-- Webhooks: lanes, filters, shapes, secrets that overlap, the log of deliveries by month, and what is told of endpoints.

ALTER TABLE webhook_endpoints
  ADD COLUMN models text[] NOT NULL DEFAULT '{}',
  ADD COLUMN payload text NOT NULL DEFAULT 'full',
  ADD COLUMN max_in_flight integer NOT NULL DEFAULT 8,
  ADD COLUMN max_per_second integer,
  ADD COLUMN paced_until timestamptz,
  ADD COLUMN failing_since timestamptz(3),
  ADD COLUMN previous_secret text,
  ADD COLUMN previous_secret_until timestamptz(3),
  ADD COLUMN previous_secret_is_primary boolean NOT NULL DEFAULT false,
  ADD CONSTRAINT webhook_endpoints_payload CHECK (payload IN ('full', 'thin')),
  ADD CONSTRAINT webhook_endpoints_pace CHECK (max_in_flight > 0 AND max_per_second > 0),
  ADD CONSTRAINT webhook_endpoints_previous_secret CHECK
    ((previous_secret IS NULL) = (previous_secret_until IS NULL));

ALTER TABLE organizations
  ADD COLUMN previous_webhook_secret text,
  ADD COLUMN previous_webhook_secret_until timestamptz(3),
  ADD COLUMN previous_webhook_secret_is_primary boolean NOT NULL DEFAULT false,
  ADD CONSTRAINT organizations_previous_webhook_secret CHECK
    ((previous_webhook_secret IS NULL) = (previous_webhook_secret_until IS NULL));

-- What happens to an endpoint is told by an event of no execution, whose body is written with it.
ALTER TABLE events
  ALTER COLUMN execution_id DROP NOT NULL,
  ADD COLUMN endpoint_id text,
  DROP CONSTRAINT events_once,
  DROP CONSTRAINT events_type,
  ADD CONSTRAINT events_type CHECK (CASE WHEN execution_id IS NULL
    THEN type IN ('endpoint.failing', 'endpoint.deactivated', 'endpoint.recovered')
    ELSE type IN ('execution.started', 'execution.completed', 'execution.failed', 'execution.cancelled',
      'execution.expired') END),
  ADD CONSTRAINT events_once CHECK (CASE WHEN execution_id IS NULL THEN endpoint_id IS NOT NULL AND body IS NOT NULL
    ELSE endpoint_id IS NULL AND id = event_id(execution_id, type) END);
CREATE INDEX events_organization_id_created_at_id_idx ON events (organization_id, created_at, id);
CREATE INDEX endpoint_events_to_fan_out ON events (created_at) WHERE fanned_out_at IS NULL AND execution_id IS NULL;

-- What waits is taken lane by lane: an endpoint is one, and so is an origin that an organization's `webhook_url`s name.
ALTER TABLE deliveries ADD COLUMN lane text;
UPDATE deliveries SET lane = coalesce(endpoint_id,
  organization_id || ' ' || coalesce(lower(substring(url FROM '^[^/]+//[^/?#]+')), ''));
ALTER TABLE deliveries ALTER COLUMN lane SET NOT NULL;
DROP INDEX deliveries_waiting;
CREATE INDEX deliveries_waiting ON deliveries (lane, next_attempt_at) WHERE state = 'pending';

-- Attempts of deliveries are cut by month as deliveries are, so that a month of both can be dropped.
ALTER TABLE delivery_attempts RENAME TO old_delivery_attempts;
CREATE TABLE delivery_attempts (
  delivery_id text COLLATE "C" NOT NULL,
  number integer NOT NULL,
  started_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  duration_ms integer,
  status_code integer,
  error text,
  stage text,
  answer text
) PARTITION BY RANGE (delivery_id);

CREATE OR REPLACE FUNCTION monthly_tables() RETURNS TABLE (name text, key text, prefix text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  VALUES ('executions', 'id', 'exec'), ('transfers', 'execution_id', 'exec'), ('events', 'id', 'evt'),
    ('deliveries', 'id', 'dlv'), ('delivery_attempts', 'delivery_id', 'dlv')
$$;

-- As before; attempts of deliveries are each updated once, in place.
CREATE OR REPLACE FUNCTION make_partitions(first date, last date) RETURNS SETOF text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  made record;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('holdfast partitions'));
  FOR made IN
    SELECT t.name || to_char(m, '_YYYY_MM') AS partition, t.name AS parent, month_bound(t.prefix, m::date) AS low,
      month_bound(t.prefix, (m + interval '1 month')::date) AS high,
      CASE WHEN t.name IN ('executions', 'deliveries') THEN 80 WHEN t.name = 'delivery_attempts' THEN 50 ELSE 100 END AS fill
    FROM generate_series(date_trunc('month', first::timestamp), last::timestamp, interval '1 month') AS m,
      monthly_tables() AS t
    ORDER BY m, t.name
  LOOP
    CONTINUE WHEN to_regclass(made.partition) IS NOT NULL;
    EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS) WITH (fillfactor = %s)',
      made.partition, made.parent, made.fill);
    EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
      made.parent, made.partition, made.low, made.high);
    RETURN NEXT made.partition;
  END LOOP;
END $$;

-- As before, but from the month of three days ago: a gateway's clock may be a little behind when a month begins.
CREATE OR REPLACE FUNCTION make_partitions(months_ahead integer) RETURNS SETOF text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '1s' AS $$
BEGIN
  IF months_ahead IS NULL OR months_ahead NOT BETWEEN 0 AND 24 THEN
    RAISE EXCEPTION 'partitions are made 0 to 24 months ahead, not %', months_ahead
      USING ERRCODE = 'invalid_parameter_value';
  END IF;
  RETURN QUERY SELECT make_partitions((now() AT TIME ZONE 'UTC' - interval '3 days')::date,
    (date_trunc('month', now() AT TIME ZONE 'UTC') + make_interval(months => months_ahead))::date);
END $$;

-- Of the months whose deliveries are there: one that was dropped stays so.
SELECT make_partitions(month, month) FROM month_partitions() WHERE parent = 'deliveries';
SELECT make_partitions(1);
WITH kept AS MATERIALIZED (
  SELECT month_bound('dlv', month) AS low, month_bound('dlv', (month + interval '1 month')::date) AS high
  FROM month_partitions() WHERE parent = 'deliveries'
)
INSERT INTO delivery_attempts (delivery_id, number, started_at, duration_ms, status_code, error)
SELECT delivery_id, number, started_at, duration_ms, status_code, error
FROM old_delivery_attempts JOIN kept ON delivery_id >= low AND delivery_id < high;
DROP TABLE old_delivery_attempts;
ALTER TABLE delivery_attempts ADD CONSTRAINT delivery_attempts_pkey PRIMARY KEY (delivery_id, number);

-- As before, without the attempts of deliveries: they go with their month.
CREATE OR REPLACE FUNCTION clear_month(month date, retention_days integer, after text, page integer) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off AS $$
DECLARE
  next record;
BEGIN
  IF NOT EXISTS (SELECT FROM old_months(retention_days) o WHERE o.month = clear_month.month AND o.kept IS NULL) THEN
    RETURN NULL;
  END IF;
  SELECT min(t.id) AS first, max(t.id) AS last, min(t.created_at) AS since, max(t.created_at) AS until INTO next FROM (
    SELECT e.id, e.created_at FROM executions e
    WHERE e.id > greatest(after, month_bound('exec', clear_month.month))
      AND e.id < month_bound('exec', (clear_month.month + interval '1 month')::date)
    ORDER BY e.id LIMIT page
  ) t;
  IF next.last IS NULL THEN RETURN NULL; END IF;

  WITH gone AS (
    DELETE FROM attempts a WHERE a.execution_id BETWEEN next.first AND next.last RETURNING a.provider, a.token
  )
  DELETE FROM provider_callbacks c USING gone g WHERE c.provider = g.provider AND c.token = g.token;
  DELETE FROM idempotency_keys k
  WHERE k.created_at BETWEEN next.since AND next.until AND k.execution_id BETWEEN next.first AND next.last;
  UPDATE files f SET expires_at = now()
  WHERE f.execution_id BETWEEN next.first AND next.last AND f.state <> 'deleted'
    AND (f.expires_at IS NULL OR f.expires_at > now());
  RETURN next.last;
END $$;

-- Drops the first old month of these tables that can go: all of it or nothing. See drop_partitions and drop_deliveries.
CREATE FUNCTION drop_first_month(retention_days integer, parents text[]) RETURNS TABLE (partition text, kept text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '500ms' AS $$
DECLARE
  old record;
  gone text[];
  is_uncleared boolean;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('holdfast partitions'));
  FOR old IN SELECT o.month, o.kept FROM old_months(retention_days) o LOOP
    SELECT array_agg(p.partition ORDER BY p.parent) INTO gone FROM month_partitions() p
    WHERE p.month = old.month AND p.parent = ANY (parents);
    CONTINUE WHEN gone IS NULL;
    partition := parents[1] || to_char(old.month, '_YYYY_MM');
    kept := old.kept;
    IF kept IS NULL AND 'executions' = ANY (parents) THEN
      SELECT EXISTS (SELECT FROM attempts a WHERE a.execution_id >= month_bound('exec', old.month)
        AND a.execution_id < month_bound('exec', (old.month + interval '1 month')::date)) INTO is_uncleared;
      IF is_uncleared THEN kept := 'attempts of it are there yet'; END IF;
    END IF;
    IF kept IS NULL THEN
      BEGIN
        EXECUTE 'LOCK TABLE ' || (SELECT string_agg('ONLY ' || quote_ident(name), ', ') FROM unnest(parents) name)
          || ' IN ACCESS EXCLUSIVE MODE';
        -- Somebody may have asked for a delivery once more until the lock was had.
        SELECT o.kept INTO kept FROM old_months(retention_days) o WHERE o.month = old.month;
        IF kept IS NULL THEN
          EXECUTE 'DROP TABLE ' || (SELECT string_agg(quote_ident(name), ', ') FROM unnest(gone) name);
          RETURN QUERY SELECT name, NULL::text FROM unnest(gone) name;
          RETURN;
        END IF;
      EXCEPTION WHEN lock_not_available THEN
        kept := 'it is in use';
        RETURN NEXT;
        RETURN;
      END;
    END IF;
    RETURN NEXT;
  END LOOP;
END $$;
REVOKE ALL ON FUNCTION drop_first_month FROM PUBLIC;

-- Drops the first month of executions, events and deliveries that can go of those that lie wholly before the last
-- `retention_days` days: one at a time, so that nobody waits long. Answers its partitions with null, and the executions of
-- months that it came by with why they stay. It waits half a second for whoever works with the tables, for behind it
-- everybody would wait: what is in use then is dropped another time.
CREATE OR REPLACE FUNCTION drop_partitions(retention_days integer) RETURNS TABLE (partition text, kept text)
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT * FROM drop_first_month(retention_days, ARRAY['executions', 'events', 'deliveries', 'delivery_attempts'])
$$;

-- As `drop_partitions`, of the log of deliveries alone.
CREATE FUNCTION drop_deliveries(retention_days integer) RETURNS TABLE (partition text, kept text)
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT * FROM drop_first_month(retention_days, ARRAY['deliveries', 'delivery_attempts'])
$$;
REVOKE ALL ON FUNCTION drop_deliveries FROM PUBLIC;
