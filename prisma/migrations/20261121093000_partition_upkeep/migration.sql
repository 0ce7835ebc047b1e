-- Partitions are made ahead and dropped by functions that run as the owner of the tables: no service may do it by hand.

-- What refers to an id of a table that is cut compares as that table does: an index serves no comparison by other rules.
ALTER TABLE attempts ALTER COLUMN execution_id TYPE text COLLATE "C";
ALTER TABLE idempotency_keys ALTER COLUMN execution_id TYPE text COLLATE "C";
ALTER TABLE delivery_attempts ALTER COLUMN delivery_id TYPE text COLLATE "C";
ALTER TABLE files ALTER COLUMN execution_id TYPE text COLLATE "C";

-- The output files of an execution.
CREATE INDEX files_execution ON files (execution_id) WHERE execution_id IS NOT NULL;
-- A key is as old as its execution, and found by that: an index of what is added in this order costs next to nothing.
CREATE INDEX idempotency_keys_created_at_idx ON idempotency_keys USING brin (created_at) WITH (autosummarize = on);

-- A partition is made beside its table and attached: reads and writes go on meanwhile. Its rows are updated in place
-- where there is room.
CREATE OR REPLACE FUNCTION make_partitions(first date, last date) RETURNS SETOF text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  made record;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('holdfast partitions'));
  FOR made IN
    SELECT t.name || to_char(m, '_YYYY_MM') AS partition, t.name AS parent, month_bound(t.prefix, m::date) AS low,
      month_bound(t.prefix, (m + interval '1 month')::date) AS high,
      CASE WHEN t.name IN ('executions', 'deliveries') THEN 80 ELSE 100 END AS fill
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

-- Makes what is missing of the partitions of this month and `months_ahead` more; answers the names of those it made. It
-- waits a second for who reads the transfers without an execution, for behind it others would wait.
CREATE FUNCTION make_partitions(months_ahead integer) RETURNS SETOF text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '1s' AS $$
BEGIN
  IF months_ahead IS NULL OR months_ahead NOT BETWEEN 0 AND 24 THEN
    RAISE EXCEPTION 'partitions are made 0 to 24 months ahead, not %', months_ahead
      USING ERRCODE = 'invalid_parameter_value';
  END IF;
  RETURN QUERY SELECT make_partitions((now() AT TIME ZONE 'UTC')::date,
    (date_trunc('month', now() AT TIME ZONE 'UTC') + make_interval(months => months_ahead))::date);
END $$;

-- Every month partition that there is.
CREATE FUNCTION month_partitions() RETURNS TABLE (parent text, partition text, month date)
LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$
  SELECT t.name, c.relname::text, to_date(right(c.relname, 7), 'YYYY_MM')
  FROM monthly_tables() t JOIN pg_inherits i ON i.inhparent = t.name::regclass JOIN pg_class c ON c.oid = i.inhrelid
  WHERE c.relname ~ ('^' || t.name || '_\d{4}_\d{2}$')
$$;

-- The months of executions, events and deliveries that lie wholly before the last `retention_days` days, oldest first;
-- `kept` is why one must stay for now.
CREATE FUNCTION old_months(retention_days integer) RETURNS TABLE (month date, kept text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off AS $$
DECLARE
  partitions record;
  is_needed boolean;
BEGIN
  IF retention_days IS NULL OR retention_days < 30 THEN
    RAISE EXCEPTION 'what is younger than 30 days is never dropped' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  FOR partitions IN
    SELECT p.month, max(p.partition) FILTER (WHERE p.parent = 'executions') AS executions,
      max(p.partition) FILTER (WHERE p.parent = 'events') AS events,
      max(p.partition) FILTER (WHERE p.parent = 'deliveries') AS deliveries
    FROM month_partitions() p
    WHERE p.parent <> 'transfers'
      AND p.month + interval '1 month' <= now() AT TIME ZONE 'UTC' - make_interval(days => retention_days)
    GROUP BY p.month ORDER BY p.month
  LOOP
    month := partitions.month;
    kept := NULL;
    IF partitions.executions IS NOT NULL THEN
      EXECUTE format('SELECT EXISTS (SELECT FROM %I WHERE status IN (''PENDING'', ''PROCESSING'', ''AWAITING_WEBHOOK''))',
        partitions.executions) INTO is_needed;
      IF is_needed THEN kept := 'executions of it have not ended'; END IF;
    END IF;
    IF kept IS NULL AND partitions.events IS NOT NULL THEN
      EXECUTE format('SELECT EXISTS (SELECT FROM %I WHERE fanned_out_at IS NULL)', partitions.events) INTO is_needed;
      IF is_needed THEN kept := 'events of it have not been fanned out'; END IF;
    END IF;
    IF kept IS NULL AND partitions.deliveries IS NOT NULL THEN
      EXECUTE format('SELECT EXISTS (SELECT FROM %I WHERE state = ''pending'')', partitions.deliveries) INTO is_needed;
      IF is_needed THEN kept := 'deliveries of it are pending'; END IF;
    END IF;
    RETURN NEXT;
  END LOOP;
END $$;

-- Takes away what hangs on the next `page` executions of an old month after the one named `after`, in the tables that are
-- not cut: attempts with their callbacks, attempts of deliveries, idempotency keys; their output files expire. Answers the
-- last of these executions; null when there is none, or when the month must stay.
CREATE FUNCTION clear_month(month date, retention_days integer, after text, page integer) RETURNS text
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
  DELETE FROM delivery_attempts a
  WHERE a.delivery_id >= 'dlv_' || substr(next.first, 6, 14) AND a.delivery_id < 'dlv_' || substr(next.last, 6, 14) || 'g';
  DELETE FROM idempotency_keys k
  WHERE k.created_at BETWEEN next.since AND next.until AND k.execution_id BETWEEN next.first AND next.last;
  UPDATE files f SET expires_at = now()
  WHERE f.execution_id BETWEEN next.first AND next.last AND f.state <> 'deleted'
    AND (f.expires_at IS NULL OR f.expires_at > now());
  RETURN next.last;
END $$;

-- Forgets at most `page` files whose bytes are gone from the store and whose executions were dropped; answers how many.
CREATE FUNCTION forget_files(retention_days integer, page integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off AS $$
DECLARE
  forgotten integer;
BEGIN
  IF retention_days IS NULL OR retention_days < 30 THEN
    RAISE EXCEPTION 'what is younger than 30 days is never dropped' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  DELETE FROM files WHERE id = ANY (ARRAY (
    SELECT f.id FROM files f
    WHERE f.execution_id < (SELECT month_bound('exec', min(p.month)) FROM month_partitions() p WHERE p.parent = 'executions')
      AND f.state = 'deleted'
    ORDER BY f.execution_id LIMIT page));
  GET DIAGNOSTICS forgotten = ROW_COUNT;
  RETURN forgotten;
END $$;

-- Drops the first month of executions, events and deliveries that can go of those that lie wholly before the last
-- `retention_days` days: one at a time, so that nobody waits long. Answers its partitions with null, and the executions of
-- months that it came by with why they stay. It waits half a second for whoever works with the tables, for behind it
-- everybody would wait: what is in use then is dropped another time.
CREATE FUNCTION drop_partitions(retention_days integer) RETURNS TABLE (partition text, kept text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '500ms' AS $$
DECLARE
  old record;
  part record;
  is_uncleared boolean;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('holdfast partitions'));
  FOR old IN SELECT o.month, o.kept FROM old_months(retention_days) o LOOP
    partition := 'executions' || to_char(old.month, '_YYYY_MM');
    kept := old.kept;
    IF kept IS NULL THEN
      SELECT EXISTS (SELECT FROM attempts a WHERE a.execution_id >= month_bound('exec', old.month)
        AND a.execution_id < month_bound('exec', (old.month + interval '1 month')::date)) INTO is_uncleared;
      IF is_uncleared THEN kept := 'attempts of it are there yet'; END IF;
    END IF;
    IF kept IS NULL THEN
      BEGIN
        LOCK TABLE ONLY executions, ONLY events, ONLY deliveries IN ACCESS EXCLUSIVE MODE;
        -- Somebody may have asked for a delivery once more until the lock was had.
        SELECT o.kept INTO kept FROM old_months(retention_days) o WHERE o.month = old.month;
        IF kept IS NULL THEN
          FOR part IN
            SELECT p.partition AS name FROM month_partitions() p
            WHERE p.month = old.month AND p.parent <> 'transfers' ORDER BY p.parent
          LOOP
            EXECUTE format('DROP TABLE %I', part.name);
            partition := part.name;
            RETURN NEXT;
          END LOOP;
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

-- Drops the first month of the journal of those that lie wholly before the last `retention_days` days and whose executions
-- were dropped, as `drop_partitions` does. Balances stay, and what came or went by no execution.
CREATE FUNCTION drop_journal_partitions(retention_days integer) RETURNS TABLE (partition text, kept text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '500ms' AS $$
DECLARE
  old record;
BEGIN
  IF retention_days IS NULL OR retention_days < 30 THEN
    RAISE EXCEPTION 'what is younger than 30 days is never dropped' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  PERFORM pg_advisory_xact_lock(hashtext('holdfast partitions'));
  FOR old IN
    SELECT p.partition AS name, EXISTS (
      SELECT FROM month_partitions() e WHERE e.parent = 'executions' AND e.month = p.month) AS has_executions
    FROM month_partitions() p
    WHERE p.parent = 'transfers'
      AND p.month + interval '1 month' <= now() AT TIME ZONE 'UTC' - make_interval(days => retention_days)
    ORDER BY p.month
  LOOP
    partition := old.name;
    kept := CASE WHEN old.has_executions THEN 'its executions are there yet' END;
    IF kept IS NULL THEN
      BEGIN
        EXECUTE format('DROP TABLE %I', old.name);
      EXCEPTION WHEN lock_not_available THEN
        kept := 'it is in use';
      END;
      RETURN NEXT;
      RETURN;
    END IF;
    RETURN NEXT;
  END LOOP;
END $$;

REVOKE ALL ON FUNCTION make_partitions(date, date), make_partitions(integer), old_months, clear_month, forget_files,
  drop_partitions, drop_journal_partitions FROM PUBLIC;

-- Those that are there already.
DO $$
DECLARE
  part record;
BEGIN
  FOR part IN SELECT p.partition AS name FROM month_partitions() p WHERE p.parent IN ('executions', 'deliveries') LOOP
    EXECUTE format('ALTER TABLE %I SET (fillfactor = 80)', part.name);
  END LOOP;
END $$;
