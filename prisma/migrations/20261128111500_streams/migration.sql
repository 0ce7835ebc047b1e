-- Output that is shown while it is made (ADR 61).

-- Which events the stream of an execution has, who may add to them, and what the output shown so far costs.
CREATE TABLE streams (
  execution_id text COLLATE "C" PRIMARY KEY,
  -- What its model makes; null: no attempt has begun.
  kind text,
  -- The claim that may write: the number of an attempt, and how often it was claimed. A later claim takes the stream over.
  attempt integer NOT NULL DEFAULT 0,
  claims integer NOT NULL DEFAULT 0,
  events integer NOT NULL DEFAULT 0,
  -- The last attempt whose output was shown.
  shown_by integer,
  cost numeric(24, 8) NOT NULL DEFAULT 0,
  input_tokens integer NOT NULL DEFAULT 0,
  output_tokens integer NOT NULL DEFAULT 0,
  -- When the execution ended.
  closed_at timestamptz(3),
  -- When the events were removed. `partial_output` then keeps the text of an execution that did not complete.
  cleared_at timestamptz(3),
  partial_output text,
  CONSTRAINT streams_kind CHECK (kind IN ('text', 'json', 'audio')),
  CONSTRAINT streams_amounts CHECK (events >= 0 AND cost >= 0 AND input_tokens >= 0 AND output_tokens >= 0),
  CONSTRAINT streams_cleared CHECK (cleared_at IS NULL OR closed_at IS NOT NULL)
) PARTITION BY RANGE (execution_id);
CREATE INDEX streams_to_clear ON streams (closed_at) WHERE closed_at IS NOT NULL AND cleared_at IS NULL;

-- Numbered from 1 without a gap. `data` is the JSON that a reader receives.
CREATE TABLE stream_events (
  execution_id text COLLATE "C" NOT NULL,
  number integer NOT NULL,
  type text NOT NULL,
  data text NOT NULL,
  PRIMARY KEY (execution_id, number),
  CONSTRAINT stream_events_type CHECK (type IN ('output', 'progress', 'logs', 'reset'))
) PARTITION BY RANGE (execution_id);

-- The text that was shown of an execution since its last reset; null: none was.
CREATE FUNCTION shown_text(execution text) RETURNS text
LANGUAGE sql STABLE SET search_path = public, pg_temp SET enable_seqscan = off AS $$
  SELECT coalesce(s.partial_output, (
    SELECT string_agg(e.data::json ->> 'delta', '' ORDER BY e.number) FROM stream_events e
    WHERE e.execution_id = execution AND e.type = 'output' AND e.number > coalesce((
      SELECT max(r.number) FROM stream_events r WHERE r.execution_id = execution AND r.type = 'reset'), 0)
  )) FROM streams s WHERE s.execution_id = execution AND s.kind = 'text'
$$;

-- What a streamed execution may cost: its hold and, with `cap`, what the balance and the spend limits have left; with `charge`
-- as much as is believed without an operator.
CREATE FUNCTION stream_allowance(execution text, review_factor numeric) RETURNS numeric
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off AS $$
  SELECT least(e.hold_amount * review_factor,
    CASE WHEN coalesce(b.overage, s.overage, 'charge') = 'cap' THEN e.hold_amount + greatest(b.available, 0) END,
    CASE WHEN coalesce(b.spend_limit_overage, s.spend_limit_overage, 'charge') = 'cap' THEN e.hold_amount + (
      SELECT min(CASE WHEN l.month = date_trunc('month', e.created_at AT TIME ZONE 'UTC')::date
        THEN greatest(l.amount - l.spent, 0) ELSE 0 END)
      FROM spend_limits l WHERE l.scope_id IN (e.organization_id, e.api_key_id)) END)
  FROM executions e JOIN balances b USING (organization_id) LEFT JOIN ledger_settings s ON s.id = 1
  WHERE e.id = execution
$$;

CREATE FUNCTION open_stream() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO streams (execution_id) VALUES (NEW.id);
  RETURN NULL;
END $$;

-- Waits for a write that is under way; a later one finds the stream closed.
CREATE FUNCTION close_stream() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE streams SET closed_at = now() WHERE execution_id = NEW.id AND closed_at IS NULL;
  RETURN NULL;
END $$;
-- A cancel costs what was shown, at most the hold. The stream is locked, whatever it has shown: nothing can be shown between its
-- price and the end.
CREATE FUNCTION charge_cancelled_stream() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  stream record;
BEGIN
  SELECT shown_by, cost, input_tokens, output_tokens INTO stream FROM streams WHERE execution_id = NEW.id FOR UPDATE;
  IF stream.shown_by IS NOT NULL THEN
    NEW.cost := least(stream.cost, NEW.hold_amount);
    NEW.input_tokens := stream.input_tokens;
    NEW.output_tokens := stream.output_tokens;
    NEW.billed := '{"usage_estimated":true}';
  END IF;
  RETURN NEW;
END $$;
REVOKE ALL ON FUNCTION stream_allowance, open_stream, close_stream, charge_cancelled_stream FROM PUBLIC;

CREATE OR REPLACE FUNCTION monthly_tables() RETURNS TABLE (name text, key text, prefix text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  VALUES ('executions', 'id', 'exec'), ('transfers', 'execution_id', 'exec'), ('events', 'id', 'evt'),
    ('deliveries', 'id', 'dlv'), ('delivery_attempts', 'delivery_id', 'dlv'), ('streams', 'execution_id', 'exec'),
    ('stream_events', 'execution_id', 'exec')
$$;

CREATE OR REPLACE FUNCTION make_partitions(first date, last date) RETURNS SETOF text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  made record;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('holdfast partitions'));
  FOR made IN
    SELECT t.name || to_char(m, '_YYYY_MM') AS partition, t.name AS parent, month_bound(t.prefix, m::date) AS low,
      month_bound(t.prefix, (m + interval '1 month')::date) AS high,
      CASE WHEN t.name IN ('executions', 'deliveries') THEN 80 WHEN t.name IN ('delivery_attempts', 'streams') THEN 50
        ELSE 100 END AS fill
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

CREATE OR REPLACE FUNCTION drop_partitions(retention_days integer) RETURNS TABLE (partition text, kept text)
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT * FROM drop_first_month(retention_days,
    ARRAY['executions', 'events', 'deliveries', 'delivery_attempts', 'streams', 'stream_events'])
$$;

SELECT make_partitions(min(month), max(month)) FROM month_partitions() WHERE parent = 'executions';

-- Usage counts what was charged, which a cancelled stream can be.
DO $$
BEGIN
  EXECUTE replace(pg_get_functiondef('count_usage'::regproc), 'status = ''COMPLETED''', 'cost IS NOT NULL');
  EXECUTE replace(pg_get_functiondef('usage_of_executions'::regproc), 'status = ''COMPLETED''', 'cost IS NOT NULL');
END $$;
