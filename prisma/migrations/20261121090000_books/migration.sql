-- The database keeps the books: transfers are added and nothing else moves a balance. The large tables are cut by month.

-- Ids hold their time (UUIDv7), so that the month of a row follows from its id and a range of ids is a month. What
-- follows from an execution has its time: the event, and the delivery of the event.

-- The first id that can be made in `month`.
CREATE FUNCTION month_bound(prefix text, month date) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT prefix || '_' || substr(hex, 1, 8) || '-' || substr(hex, 9, 4)
  FROM lpad(to_hex((extract(epoch FROM month::timestamp) * 1000)::bigint), 12, '0') AS hex
$$;

-- At most one start and one ending per execution: their events' ids are the execution's, the ending's with one bit
-- turned, so that the primary key is the rule.
CREATE FUNCTION event_id(execution_id text, type text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT 'evt_' || CASE type WHEN 'execution.started' THEN substr(execution_id, 6)
    ELSE substr(execution_id, 6, length(execution_id) - 6)
      || translate(right(execution_id, 1), '0123456789abcdef', '1032547698badcfe') END
$$;

-- One delivery of an event per receiver: its id is a digest of both, with the event's time.
CREATE FUNCTION delivery_id(event_id text, endpoint_id text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT 'dlv_' || substr(event_id, 5, 14) || overlay(overlay(
    substr(md5(event_id || coalesce(endpoint_id, ''))::uuid::text, 15) PLACING '7' FROM 1) PLACING 'a' FROM 6)
$$;

-- Each table that is cut by month, the column it is cut by, and the prefix of the ids in it.
CREATE FUNCTION monthly_tables() RETURNS TABLE (name text, key text, prefix text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  VALUES ('executions', 'id', 'exec'), ('transfers', 'execution_id', 'exec'), ('events', 'id', 'evt'),
    ('deliveries', 'id', 'dlv')
$$;

-- Makes the partitions of `first` (any day of that month) and the months after it up to that of `last`, where they are
-- missing; answers the names of those it made. Callers go one by one.
CREATE FUNCTION make_partitions(first date, last date) RETURNS SETOF text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  made record;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('holdfast partitions'));
  FOR made IN
    SELECT t.name || to_char(m, '_YYYY_MM') AS partition, t.name AS parent, month_bound(t.prefix, m::date) AS low,
      month_bound(t.prefix, (m + interval '1 month')::date) AS high
    FROM generate_series(date_trunc('month', first::timestamp), last::timestamp, interval '1 month') AS m,
      monthly_tables() AS t
    ORDER BY m
  LOOP
    CONTINUE WHEN to_regclass(made.partition) IS NOT NULL;
    EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L)',
      made.partition, made.parent, made.low, made.high);
    RETURN NEXT made.partition;
  END LOOP;
END $$;
REVOKE ALL ON FUNCTION make_partitions FROM PUBLIC;

-- What is there becomes a table without indexes, is copied into the parts, and is dropped.
ALTER TABLE executions RENAME TO old_executions;
ALTER TABLE transfers RENAME TO old_transfers;
ALTER TABLE events RENAME TO old_events;
ALTER TABLE deliveries RENAME TO old_deliveries;

CREATE TABLE executions (
  id text COLLATE "C" NOT NULL,
  organization_id text NOT NULL,
  api_key_id text,
  model text NOT NULL,
  status text NOT NULL,
  input json NOT NULL,
  metadata json,
  webhook_url text,
  hold_amount numeric(24, 8) NOT NULL,
  estimated_cost numeric(24, 8) NOT NULL,
  cost numeric(24, 8),
  output json,
  input_tokens integer,
  output_tokens integer,
  latency_ms integer,
  error_code text,
  error_message text,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  started_at timestamptz(3),
  completed_at timestamptz(3),
  expires_at timestamptz(3) NOT NULL,
  erased_at timestamptz(3)
) PARTITION BY RANGE (id);

CREATE TABLE transfers (
  organization_id text NOT NULL,
  sequence bigint NOT NULL,
  kind text NOT NULL,
  debit_account text NOT NULL,
  credit_account text NOT NULL,
  amount numeric(24, 8) NOT NULL,
  available_after numeric(24, 8) NOT NULL,
  held_after numeric(24, 8) NOT NULL,
  execution_id text COLLATE "C",
  idempotency_key text,
  reason text,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
) PARTITION BY RANGE (execution_id);
-- Money that came or went by no execution.
CREATE TABLE transfers_funding PARTITION OF transfers (CHECK (execution_id IS NULL)) DEFAULT;

CREATE TABLE events (
  id text COLLATE "C" NOT NULL,
  organization_id text NOT NULL,
  execution_id text COLLATE "C" NOT NULL,
  type text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  body text,
  fanned_out_at timestamptz(3)
) PARTITION BY RANGE (id);

CREATE TABLE deliveries (
  id text COLLATE "C" NOT NULL,
  event_id text COLLATE "C" NOT NULL,
  organization_id text NOT NULL,
  endpoint_id text,
  url text NOT NULL,
  state text NOT NULL DEFAULT 'pending',
  attempts integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP,
  lease_until timestamptz(3),
  expires_at timestamptz(3) NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  finished_at timestamptz(3)
) PARTITION BY RANGE (id);

SELECT make_partitions(
  least((SELECT min(created_at) FROM old_executions) AT TIME ZONE 'UTC', now() AT TIME ZONE 'UTC')::date,
  (now() AT TIME ZONE 'UTC' + interval '3 months')::date);

INSERT INTO executions SELECT * FROM old_executions;
INSERT INTO transfers SELECT * FROM old_transfers;
INSERT INTO events SELECT event_id(execution_id, type), organization_id, execution_id, type, created_at,
  replace(body, id, event_id(execution_id, type)), fanned_out_at FROM old_events;
INSERT INTO deliveries SELECT delivery_id(event_id(v.execution_id, v.type), d.endpoint_id),
  event_id(v.execution_id, v.type), d.organization_id, d.endpoint_id, d.url, d.state, d.attempts, d.next_attempt_at,
  d.lease_until, d.expires_at, d.created_at, d.finished_at
FROM old_deliveries d JOIN old_events v ON v.id = d.event_id;
UPDATE delivery_attempts a SET delivery_id = delivery_id(event_id(v.execution_id, v.type), d.endpoint_id)
FROM old_deliveries d JOIN old_events v ON v.id = d.event_id WHERE a.delivery_id = d.id;

DROP TABLE old_executions, old_transfers, old_events, old_deliveries;

ALTER TABLE executions
  ADD CONSTRAINT executions_pkey PRIMARY KEY (id),
  ADD CONSTRAINT executions_status CHECK (status IN
    ('PENDING', 'PROCESSING', 'AWAITING_WEBHOOK', 'COMPLETED', 'FAILED', 'CANCELLED', 'EXPIRED')),
  ADD CONSTRAINT executions_amounts CHECK (hold_amount > 0 AND estimated_cost >= 0 AND cost >= 0),
  ADD CONSTRAINT executions_ended CHECK
    ((completed_at IS NULL) = (status IN ('PENDING', 'PROCESSING', 'AWAITING_WEBHOOK'))),
  ADD CONSTRAINT executions_cost CHECK ((cost IS NULL) = (status <> 'COMPLETED')),
  ADD CONSTRAINT executions_error CHECK ((error_code IS NULL) = (status NOT IN ('FAILED', 'EXPIRED'))),
  ADD CONSTRAINT executions_erased CHECK (erased_at IS NULL OR completed_at IS NOT NULL);
CREATE INDEX executions_organization_id_created_at_id_idx
  ON executions (organization_id, created_at DESC, id DESC);
-- Sweeps read nothing but what is due.
CREATE INDEX executions_pending ON executions (created_at) WHERE status = 'PENDING';
CREATE INDEX executions_open_expiry ON executions (expires_at)
  WHERE status IN ('PENDING', 'PROCESSING', 'AWAITING_WEBHOOK');

ALTER TABLE events
  ADD CONSTRAINT events_pkey PRIMARY KEY (id),
  ADD CONSTRAINT events_type CHECK (type IN ('execution.started', 'execution.completed', 'execution.failed',
    'execution.cancelled', 'execution.expired')),
  ADD CONSTRAINT events_once CHECK (id = event_id(execution_id, type));
CREATE INDEX events_to_fan_out ON events (created_at) WHERE fanned_out_at IS NULL;

ALTER TABLE deliveries
  ADD CONSTRAINT deliveries_pkey PRIMARY KEY (id),
  ADD CONSTRAINT deliveries_state CHECK (state IN ('pending', 'delivered', 'failed', 'expired')),
  ADD CONSTRAINT deliveries_finished CHECK ((finished_at IS NULL) = (state = 'pending')),
  ADD CONSTRAINT deliveries_once CHECK (id = delivery_id(event_id, endpoint_id));
CREATE INDEX deliveries_endpoint_id_created_at_idx ON deliveries (endpoint_id, created_at DESC);
CREATE INDEX deliveries_waiting ON deliveries (endpoint_id, next_attempt_at) WHERE state = 'pending';

-- The kinds of transfer and the accounts each moves between.
ALTER TABLE transfers
  ADD CONSTRAINT transfers_amount CHECK (amount > 0 OR (kind = 'settle' AND amount = 0)),
  ADD CONSTRAINT transfers_kind CHECK ((kind, debit_account, credit_account) IN (
    ('top_up', 'funding', 'available'),
    ('correction', 'funding', 'available'),
    ('correction', 'available', 'funding'),
    ('hold', 'available', 'held'),
    ('overage', 'available', 'held'),
    ('settle', 'held', 'revenue'),
    ('remainder', 'held', 'available'),
    ('release', 'held', 'available'))),
  ADD CONSTRAINT transfers_execution CHECK ((kind IN ('top_up', 'correction')) = (execution_id IS NULL));
CREATE INDEX transfers_organization_id_sequence_idx ON transfers (organization_id, sequence);
-- At most one hold per execution, one resolution per hold, one adjustment beside it.
CREATE UNIQUE INDEX transfers_once ON transfers (execution_id, (CASE kind WHEN 'hold' THEN 1 WHEN 'settle' THEN 2
  WHEN 'release' THEN 2 ELSE 3 END));
CREATE UNIQUE INDEX transfers_idempotency ON transfers_funding (organization_id, idempotency_key)
  WHERE idempotency_key IS NOT NULL;

-- The journal is append-only: the database itself refuses to change what was written.
CREATE TRIGGER transfers_append_only BEFORE UPDATE OR DELETE ON transfers
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER transfers_no_truncate BEFORE TRUNCATE ON transfers
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Which role may add which kinds is said where the roles are made (db/roles); who has no policy sees and adds nothing.
ALTER TABLE transfers ENABLE ROW LEVEL SECURITY;

-- Never written: the right to update it is the right to lock the row.
ALTER TABLE balances ADD COLUMN lock boolean;

-- Moves the balances of what was just added to the journal, and nothing else does. What is added must go on where the
-- organization's journal ends, one number after the other, each row leaving what it says; what resolves a hold must
-- add up to it. All of a statement or nothing.
CREATE FUNCTION post_transfers() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off AS $$
DECLARE
  journals bigint;
  moved bigint;
  low text;
  unequal text;
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
    WHERE b.organization_id = j.organization_id AND j.is_chain AND b.sequence = j.first - 1
      AND b.available = j.available AND b.held = j.held
    RETURNING 1
  )
  SELECT (SELECT count(*) FROM journal), (SELECT count(*) FROM posted) INTO journals, moved;
  IF journals <> moved THEN
    RAISE EXCEPTION 'transfers that do not follow from the balance are refused' USING ERRCODE = 'check_violation';
  END IF;

  -- The months to look in.
  SELECT min(execution_id) INTO low FROM added WHERE kind <> 'hold';
  IF low IS NULL THEN RETURN NULL; END IF;
  SELECT r.execution_id INTO unequal FROM (
    SELECT execution_id, organization_id,
      sum(CASE WHEN debit_account = 'held' THEN amount ELSE -amount END) AS resolved
    FROM added WHERE kind NOT IN ('top_up', 'correction', 'hold') GROUP BY execution_id, organization_id
  ) r LEFT JOIN LATERAL (
    SELECT amount FROM transfers h
    WHERE h.execution_id = r.execution_id AND h.execution_id >= low
      AND h.organization_id = r.organization_id
      AND (CASE h.kind WHEN 'hold' THEN 1 WHEN 'settle' THEN 2 WHEN 'release' THEN 2 ELSE 3 END) = 1 LIMIT 1
  ) h ON true
  WHERE h.amount IS DISTINCT FROM r.resolved LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'what resolves the hold of % does not add up to it', unequal USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION post_transfers FROM PUBLIC;
CREATE TRIGGER transfers_post AFTER INSERT ON transfers REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION post_transfers();

-- How much of a month an organization or one of its keys may spend. `spent` is of the executions created in `month`
-- (UTC): the hold of one that is open, the cost of one that is COMPLETED. Written under the organization's balance lock.
CREATE TABLE spend_limits (
  scope_id text NOT NULL,
  organization_id text NOT NULL,
  amount numeric(24, 8) NOT NULL,
  month date NOT NULL,
  spent numeric(24, 8) NOT NULL,
  CONSTRAINT spend_limits_pkey PRIMARY KEY (scope_id),
  CONSTRAINT spend_limits_amounts CHECK (amount >= 0 AND spent >= 0),
  CONSTRAINT spend_limits_month CHECK (month = date_trunc('month', month::timestamp))
);
CREATE INDEX spend_limits_organization_id_idx ON spend_limits (organization_id);
-- Updated in place where it can be.
ALTER TABLE spend_limits SET (fillfactor = 50);
