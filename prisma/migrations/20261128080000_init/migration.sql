-- The schema of Holdfast. prisma/schema.prisma has the tables; the checks, triggers, functions, partial indexes and months that
-- Prisma cannot express are here alone. What each role may do is in packages/db/src/roles.

CREATE SCHEMA IF NOT EXISTS public;

-- Ids and months --------------------------------------------------------------------------------------------------------------

-- Makes a new prefixed id with a UUIDv7, as domain/ids does.
CREATE FUNCTION new_id(prefix text) RETURNS text LANGUAGE sql VOLATILE PARALLEL SAFE AS $$
  SELECT prefix || '_' || encode(set_bit(set_bit(
    overlay(uuid_send(gen_random_uuid())
      PLACING substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6),
    52, 1), 53, 1), 'hex')::uuid::text
$$;

-- Ids hold their time (UUIDv7), so the month of a row follows from its id, and a range of ids is a month. The id of an event
-- has the time of its execution, and that of a delivery the time of its event.

-- Returns the first id that can be made in `month`.
CREATE FUNCTION month_bound(prefix text, month date) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT prefix || '_' || substr(hex, 1, 8) || '-' || substr(hex, 9, 4)
  FROM lpad(to_hex((extract(epoch FROM month::timestamp) * 1000)::bigint), 12, '0') AS hex
$$;

-- An execution has at most one start and one ending: the id of the start's event is the execution's, that of the ending's
-- event has one bit turned, and the primary key is the rule.
CREATE FUNCTION event_id(execution_id text, type text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT 'evt_' || CASE type WHEN 'execution.started' THEN substr(execution_id, 6)
    ELSE substr(execution_id, 6, length(execution_id) - 6)
      || translate(right(execution_id, 1), '0123456789abcdef', '1032547698badcfe') END
$$;

-- An event has one delivery per receiver: its id is a digest of both, with the event's time.
CREATE FUNCTION delivery_id(event_id text, endpoint_id text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT 'dlv_' || substr(event_id, 5, 14) || overlay(overlay(
    substr(md5(event_id || coalesce(endpoint_id, ''))::uuid::text, 15) PLACING '7' FROM 1) PLACING 'a' FROM 6)
$$;

-- The tables that are partitioned by month, with the column that decides the month and the prefix of the ids in it. What refers
-- to such an id has the collation "C" too: an index serves no comparison under another one.
CREATE FUNCTION monthly_tables() RETURNS TABLE (name text, key text, prefix text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  VALUES ('executions', 'id', 'exec'), ('transfers', 'execution_id', 'exec'), ('events', 'id', 'evt'),
    ('deliveries', 'id', 'dlv'), ('delivery_attempts', 'delivery_id', 'dlv')
$$;

-- Organizations and API keys --------------------------------------------------------------------------------------------------

CREATE TABLE organizations (
  id text PRIMARY KEY,
  name text NOT NULL,
  webhook_secret text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  previous_webhook_secret text,
  previous_webhook_secret_until timestamptz(3),
  previous_webhook_secret_is_primary boolean NOT NULL DEFAULT false,
  max_concurrency integer,
  test_of text,
  CONSTRAINT organizations_max_concurrency CHECK (max_concurrency > 0),
  CONSTRAINT organizations_previous_webhook_secret CHECK
    ((previous_webhook_secret IS NULL) = (previous_webhook_secret_until IS NULL))
);
CREATE UNIQUE INDEX organizations_test_of_key ON organizations (test_of);

CREATE TABLE api_keys (
  id text PRIMARY KEY,
  organization_id text NOT NULL,
  name text NOT NULL,
  permissions text NOT NULL,
  prefix text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  revoked_at timestamptz(3),
  scopes text[],
  expires_at timestamptz(3),
  models text[] NOT NULL DEFAULT '{}',
  addresses text[] NOT NULL DEFAULT '{}',
  CONSTRAINT api_keys_permissions CHECK (permissions IN ('full', 'execution'))
);
CREATE INDEX api_keys_organization_id_created_at_idx ON api_keys (organization_id, created_at);

CREATE TABLE api_key_values (
  hash text PRIMARY KEY,
  api_key_id text NOT NULL,
  valid_until timestamptz(3)
);
CREATE INDEX api_key_values_api_key_id_idx ON api_key_values (api_key_id);

-- Models ----------------------------------------------------------------------------------------------------------------------

CREATE TABLE models (
  slug text PRIMARY KEY,
  definition jsonb NOT NULL,
  is_active boolean NOT NULL DEFAULT true,
  updated_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);

-- Every definition that a model had in the last 30 days, under its content: an execution keeps the one that it was created
-- with, an attempt the one that it started on. No execution is open for longer than a day.
CREATE TABLE model_versions (
  id uuid PRIMARY KEY,
  definition jsonb NOT NULL,
  replaced_at timestamptz(3)
);

-- The digest is not md5, which a server in FIPS mode refuses. `provider` is no part of a version: definitions of before 0.3.0
-- repeat the first of their `providers` there.
CREATE FUNCTION model_version(definition jsonb) RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT encode(substring(sha256(convert_to((definition - 'provider')::text, 'UTF8')) FOR 16), 'hex')::uuid
$$;

CREATE FUNCTION keep_model_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    UPDATE public.model_versions SET replaced_at = now() WHERE id = public.model_version(OLD.definition);
  END IF;
  INSERT INTO public.model_versions (id, definition)
  VALUES (public.model_version(NEW.definition), NEW.definition - 'provider')
  ON CONFLICT (id) DO UPDATE SET replaced_at = NULL;
  DELETE FROM public.model_versions WHERE replaced_at < now() - interval '30 days';
  RETURN NULL;
END
$$;
CREATE TRIGGER keep_model_version AFTER INSERT OR UPDATE OF definition ON models
  FOR EACH ROW EXECUTE FUNCTION keep_model_version();

-- Money: balances -------------------------------------------------------------------------------------------------------------

-- `lock` is never written: the right to update it is the right to lock the row. Only the journal's trigger moves the amounts.
-- An organization's own policies are in the row that every settlement locks, so a change takes effect between two settlements.
CREATE TABLE balances (
  organization_id text PRIMARY KEY,
  available numeric(24, 8) NOT NULL DEFAULT 0,
  held numeric(24, 8) NOT NULL DEFAULT 0,
  sequence bigint NOT NULL DEFAULT 0,
  lock boolean,
  overage text,
  spend_limit_overage text,
  CONSTRAINT balances_held_not_negative CHECK (held >= 0),
  CONSTRAINT balances_policies CHECK (overage IN ('charge', 'cap') AND spend_limit_overage IN ('charge', 'cap'))
) WITH (fillfactor = 50);

-- Locks balances, in order of id, and returns their current values. It is a function because, to read a row again that it had
-- to wait for, PostgreSQL sets up the whole statement a second time, and those that hold and settle are long.
CREATE FUNCTION locked_balances(ids text[])
RETURNS TABLE (organization_id text, available numeric, held numeric, sequence bigint, overage text, spend_limit_overage text)
LANGUAGE plpgsql ROWS 10 AS $$
BEGIN
  RETURN QUERY SELECT b.organization_id, b.available, b.held, b.sequence, b.overage, b.spend_limit_overage
  FROM public.balances b WHERE b.organization_id = ANY (ids) ORDER BY b.organization_id FOR UPDATE;
END
$$;

-- Does the same, but the statement fails (55P03) once it has waited so long for one of the balances, or for a lock after them:
-- a balance that another session keeps must not stop the organizations that share the statement.
CREATE FUNCTION locked_balances(ids text[], max_wait_ms int)
RETURNS TABLE (organization_id text, available numeric, held numeric, sequence bigint, overage text, spend_limit_overage text)
LANGUAGE plpgsql ROWS 10 AS $$
BEGIN
  PERFORM set_config('lock_timeout', max_wait_ms::text, true);
  RETURN QUERY SELECT b.organization_id, b.available, b.held, b.sequence, b.overage, b.spend_limit_overage
  FROM public.balances b WHERE b.organization_id = ANY (ids) ORDER BY b.organization_id FOR UPDATE;
END
$$;

-- The policies of the platform are one row. A new installation caps costs at spend limits.
CREATE TABLE ledger_settings (
  id integer PRIMARY KEY DEFAULT 1,
  overage text NOT NULL DEFAULT 'charge',
  spend_limit_overage text NOT NULL DEFAULT 'charge',
  CONSTRAINT ledger_settings_one CHECK (id = 1),
  CONSTRAINT ledger_settings_policies CHECK (overage IN ('charge', 'cap') AND spend_limit_overage IN ('charge', 'cap'))
);
INSERT INTO ledger_settings (spend_limit_overage) VALUES ('cap');

-- How much of a month an organization or one of its keys may spend. `spent` belongs to the executions created in `month` (UTC):
-- it is the hold of one that is open, the cost of one that is COMPLETED. It is written under the organization's balance lock.
CREATE TABLE spend_limits (
  scope_id text PRIMARY KEY,
  organization_id text NOT NULL,
  amount numeric(24, 8) NOT NULL,
  month date NOT NULL,
  spent numeric(24, 8) NOT NULL,
  CONSTRAINT spend_limits_amounts CHECK (amount >= 0 AND spent >= 0),
  CONSTRAINT spend_limits_month CHECK (month = date_trunc('month', month::timestamp))
) WITH (fillfactor = 50);
CREATE INDEX spend_limits_organization_id_idx ON spend_limits (organization_id);

-- Money: the journal ----------------------------------------------------------------------------------------------------------

-- NaN is more than any number and would leave a balance that covers everything. A hold and a correction take nothing that is
-- not there; what a run has cost may. Every statement that adds transfers reads and prepares `transfers_kind`, so it is brief:
-- none of its texts contains a space, so that they are equal only if all three columns are.
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
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT transfers_kind CHECK (kind || ' ' || debit_account || ' ' || credit_account IN (
    'hold available held',
    'settle held revenue',
    'remainder held available',
    'release held available',
    'overage available held',
    'write_off write_offs revenue',
    'top_up funding available',
    'correction funding available',
    'correction available funding')),
  CONSTRAINT transfers_execution CHECK ((kind IN ('top_up', 'correction')) = (execution_id IS NULL)),
  CONSTRAINT transfers_amount CHECK (amount > 0 OR (kind = 'settle' AND amount = 0)),
  CONSTRAINT transfers_number CHECK (amount < 'NaN'),
  CONSTRAINT transfers_covered CHECK (held_after >= 0
    AND (available_after >= 0 OR debit_account <> 'available' OR kind = 'overage'))
) PARTITION BY RANGE (execution_id);

-- Money that came or went by no execution is in a partition that is never dropped.
CREATE TABLE transfers_funding PARTITION OF transfers (CHECK (execution_id IS NULL)) DEFAULT;
CREATE UNIQUE INDEX transfers_idempotency ON transfers_funding (organization_id, idempotency_key)
  WHERE idempotency_key IS NOT NULL;

CREATE INDEX transfers_organization_id_sequence_idx ON transfers (organization_id, sequence);
-- An execution has at most one hold, one resolution of it, one adjustment beside that, and one write-off.
CREATE UNIQUE INDEX transfers_once ON transfers (execution_id, (CASE kind WHEN 'hold' THEN 1 WHEN 'settle' THEN 2
  WHEN 'release' THEN 2 WHEN 'write_off' THEN 4 ELSE 3 END));
ALTER INDEX transfers_funding_execution_id_case_idx RENAME TO transfers_funding_once;

-- db/roles says which role may add which kinds; a role without a policy sees and adds nothing.
ALTER TABLE transfers ENABLE ROW LEVEL SECURITY;

-- The journal is append-only: the database itself refuses to change what was written.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% on % is refused: the journal is append-only', TG_OP, TG_TABLE_NAME;
END $$;
CREATE TRIGGER transfers_append_only BEFORE UPDATE OR DELETE ON transfers
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER transfers_no_truncate BEFORE TRUNCATE ON transfers
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Moves the balances of what was just added to the journal; nothing else does. All of a statement is posted, or nothing:
-- - What is added must go on where the organization's journal ends, one number after the other, each row leaving what it says.
-- - What resolves a hold must add up to it.
-- - With `cap` an overage takes neither the balance below zero nor a spend limit beyond its amount; without it nothing is
--   written off.
-- Balances and holds are found by their keys whatever the planner believes about the tables: by a range of one key, as
-- db/src/statement.ts explains, and a condition that no index serves.
CREATE FUNCTION post_transfers() RETURNS trigger
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
REVOKE ALL ON FUNCTION post_transfers FROM PUBLIC;
CREATE TRIGGER transfers_post AFTER INSERT ON transfers REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION post_transfers();

-- A month of the journal that is dropped leaves its sums behind, so balances and numbers can always be checked against them:
-- how many transfers of an organization went with it, and what they had moved. What left its balance was revenue.
CREATE TABLE dropped_journals (
  organization_id text NOT NULL,
  month date NOT NULL,
  transfers bigint NOT NULL,
  available numeric(24, 8) NOT NULL,
  held numeric(24, 8) NOT NULL,
  PRIMARY KEY (organization_id, month),
  CONSTRAINT dropped_journals_transfers CHECK (transfers > 0)
);
CREATE TRIGGER dropped_journals_append_only BEFORE UPDATE OR DELETE ON dropped_journals
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER dropped_journals_no_truncate BEFORE TRUNCATE ON dropped_journals
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE ledger_audits (
  id integer PRIMARY KEY DEFAULT 1,
  finished_at timestamptz(3) NOT NULL,
  breaches jsonb NOT NULL,
  requested_at timestamptz(3),
  CONSTRAINT ledger_audits_one CHECK (id = 1)
);

-- Executions ------------------------------------------------------------------------------------------------------------------

CREATE TABLE executions (
  id text COLLATE "C" PRIMARY KEY,
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
  erased_at timestamptz(3),
  priority smallint NOT NULL DEFAULT 1,
  progress real,
  queue_position integer,
  logs text,
  logs_total bigint NOT NULL DEFAULT 0,
  traceparent varchar(55),
  written_off numeric(24, 8),
  rerun_of text,
  billed json,
  model_version uuid,
  CONSTRAINT executions_status CHECK (status IN
    ('PENDING', 'PROCESSING', 'AWAITING_WEBHOOK', 'COMPLETED', 'FAILED', 'CANCELLED', 'EXPIRED')),
  CONSTRAINT executions_amounts CHECK (hold_amount > 0 AND estimated_cost >= 0 AND cost >= 0),
  CONSTRAINT executions_ended CHECK
    ((completed_at IS NULL) = (status IN ('PENDING', 'PROCESSING', 'AWAITING_WEBHOOK'))),
  CONSTRAINT executions_cost CHECK ((cost IS NULL) = (status <> 'COMPLETED')),
  CONSTRAINT executions_error CHECK ((error_code IS NULL) = (status NOT IN ('FAILED', 'EXPIRED'))),
  CONSTRAINT executions_erased CHECK (erased_at IS NULL OR completed_at IS NOT NULL)
) PARTITION BY RANGE (id);
-- NOT VALID: a database of before 0.3.0 has these checks so, because no row was read when they were added.
ALTER TABLE executions
  ADD CONSTRAINT executions_priority CHECK (priority BETWEEN 0 AND 2) NOT VALID,
  ADD CONSTRAINT executions_progress CHECK (progress BETWEEN 0 AND 1) NOT VALID,
  ADD CONSTRAINT executions_written_off CHECK (written_off IS NULL OR (written_off > 0 AND cost IS NOT NULL)) NOT VALID;

-- Sweeps read nothing but what is due. The first looks at the start of each organization's queue: one with a hundred thousand
-- must not hide another's only one.
CREATE INDEX executions_pending ON executions (organization_id, priority, created_at) WHERE status = 'PENDING';
CREATE INDEX executions_open_expiry ON executions (expires_at)
  WHERE status IN ('PENDING', 'PROCESSING', 'AWAITING_WEBHOOK');
-- The ids in lists have another collation, which sorts them alike: under their own, the planner took the index for look-ups by
-- id where it believed a month to be empty, and read all of it for each row.
CREATE INDEX executions_organization_id_created_at_id_idx
  ON executions (organization_id, created_at DESC, id COLLATE "POSIX" DESC);
-- Failed and expired executions of all organizations are found by the time in their ids. They are few, so only they pay for it.
CREATE INDEX executions_failures ON executions (id COLLATE "POSIX") WHERE error_code IS NOT NULL;
CREATE INDEX executions_rerun_of_idx ON executions (rerun_of) WHERE rerun_of IS NOT NULL;

-- A key is as old as its execution, and found by that: an index of what is added in this order costs next to nothing.
CREATE TABLE idempotency_keys (
  organization_id text NOT NULL,
  key text NOT NULL,
  request_hash text NOT NULL,
  execution_id text NOT NULL COLLATE "C",
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  PRIMARY KEY (organization_id, key)
);
CREATE INDEX idempotency_keys_created_at_idx ON idempotency_keys USING brin (created_at) WITH (autosummarize = on);

CREATE TABLE attempts (
  id text PRIMARY KEY,
  execution_id text NOT NULL COLLATE "C",
  number integer NOT NULL,
  provider text NOT NULL,
  state text NOT NULL,
  token text NOT NULL,
  external_id text,
  handle json,
  outcome json,
  lease_until timestamptz(3),
  poll_at timestamptz(3),
  polls integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  finished_at timestamptz(3),
  settled_at timestamptz(3),
  target text NOT NULL DEFAULT '',
  raw_error text,
  logged integer NOT NULL DEFAULT 0,
  busy_refusals integer NOT NULL DEFAULT 0,
  busy_since timestamptz(3),
  raw_logs text,
  claims integer NOT NULL DEFAULT 0,
  model_version uuid,
  CONSTRAINT attempts_state CHECK (state IN
    ('waiting', 'starting', 'running', 'succeeded', 'failed', 'refused', 'unknown', 'cancelled')),
  CONSTRAINT attempts_outcome CHECK ((outcome IS NULL) = (finished_at IS NULL) OR state = 'cancelled')
) WITH (fillfactor = 80);
CREATE UNIQUE INDEX attempts_token_key ON attempts (token);
CREATE UNIQUE INDEX attempts_execution_id_number_key ON attempts (execution_id, number);
-- An execution never has two runs at once, whoever asks.
CREATE UNIQUE INDEX attempts_open ON attempts (execution_id) WHERE finished_at IS NULL;
CREATE INDEX attempts_waiting ON attempts (poll_at) WHERE finished_at IS NULL AND state = 'waiting';
CREATE INDEX attempts_leased ON attempts (lease_until) WHERE finished_at IS NULL AND state = 'starting';
CREATE INDEX attempts_to_poll ON attempts (poll_at) WHERE finished_at IS NULL AND state = 'running';
-- A refused attempt is followed by another one, so the ledger passes it over.
CREATE INDEX attempts_to_settle ON attempts (finished_at)
  WHERE outcome IS NOT NULL AND settled_at IS NULL AND state <> 'refused';

-- A callback that is too large for a row has its body in the object store.
CREATE TABLE provider_callbacks (
  id text PRIMARY KEY,
  provider text NOT NULL,
  token text NOT NULL,
  event_key text NOT NULL,
  headers jsonb NOT NULL,
  body bytea,
  received_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  processed_at timestamptz(3),
  object_key text
);
-- NOT VALID, as the checks of executions are.
ALTER TABLE provider_callbacks
  ADD CONSTRAINT provider_callbacks_body CHECK ((body IS NULL) <> (object_key IS NULL)) NOT VALID;
CREATE UNIQUE INDEX provider_callbacks_provider_token_event_key_key ON provider_callbacks (provider, token, event_key);
CREATE INDEX provider_callbacks_to_process ON provider_callbacks (received_at) WHERE processed_at IS NULL;

-- A run whose reported cost no one would believe was charged its hold, and an operator decides about the rest: `accepted`
-- charges an amount by a correction, which `charged` and `correction` record; `written_off` charges nothing. `reported_cost`
-- has no limit, so that no figure of a provider can keep its run from being settled.
CREATE TABLE reviews (
  execution_id text PRIMARY KEY,
  organization_id text NOT NULL,
  hold numeric(24, 8) NOT NULL,
  reported_cost numeric NOT NULL,
  state text NOT NULL DEFAULT 'open',
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  decided_at timestamptz(3),
  decided_by text,
  reason text,
  charged numeric(24, 8),
  correction bigint,
  idempotency_key text,
  CONSTRAINT reviews_above CHECK (reported_cost > hold),
  CONSTRAINT reviews_state CHECK (state IN ('open', 'accepted', 'written_off')),
  CONSTRAINT reviews_decided CHECK (num_nulls(decided_at, decided_by, reason, idempotency_key)
    = CASE state WHEN 'open' THEN 4 ELSE 0 END),
  CONSTRAINT reviews_charged CHECK (num_nulls(charged, correction) = CASE state WHEN 'accepted' THEN 0 ELSE 2 END
    AND (charged IS NULL OR (charged > 0 AND charged <= reported_cost - hold)))
);
-- The open ones are few, and counted every few seconds.
CREATE INDEX reviews_open ON reviews (execution_id) INCLUDE (created_at) WHERE state = 'open';

-- Webhooks --------------------------------------------------------------------------------------------------------------------

CREATE TABLE webhook_endpoints (
  id text PRIMARY KEY,
  organization_id text NOT NULL,
  url text NOT NULL,
  description text NOT NULL DEFAULT '',
  events text[],
  headers text,
  secret text NOT NULL,
  is_active boolean NOT NULL DEFAULT true,
  failure_count integer NOT NULL DEFAULT 0,
  last_success timestamptz(3),
  last_failure timestamptz(3),
  last_error text,
  probe_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  deleted_at timestamptz(3),
  models text[] NOT NULL DEFAULT '{}',
  payload text NOT NULL DEFAULT 'full',
  max_in_flight integer NOT NULL DEFAULT 256,
  max_per_second integer,
  paced_until timestamptz,
  failing_since timestamptz(3),
  previous_secret text,
  previous_secret_until timestamptz(3),
  previous_secret_is_primary boolean NOT NULL DEFAULT false,
  missed tstzmultirange NOT NULL DEFAULT '{}',
  in_flight_limit integer,
  CONSTRAINT webhook_endpoints_payload CHECK (payload IN ('full', 'thin')),
  CONSTRAINT webhook_endpoints_pace CHECK (max_in_flight > 0 AND max_per_second > 0),
  CONSTRAINT webhook_endpoints_in_flight_limit CHECK (in_flight_limit > 0),
  CONSTRAINT webhook_endpoints_previous_secret CHECK ((previous_secret IS NULL) = (previous_secret_until IS NULL))
);
CREATE INDEX webhook_endpoints_organization_id_created_at_idx ON webhook_endpoints (organization_id, created_at);
-- Every event reads the active endpoints of its organization, of which there are few; deleted ones stay in the table.
CREATE INDEX webhook_endpoints_active ON webhook_endpoints (organization_id) WHERE deleted_at IS NULL AND is_active;
-- The overview and the list of failing endpoints read these few rows of a table that may be large.
CREATE INDEX webhook_endpoints_failing ON webhook_endpoints (id) WHERE failing_since IS NOT NULL AND deleted_at IS NULL;

-- An event about an endpoint belongs to no execution, and its body is written with it. `events_once` has the body of event_id()
-- in place of the call: every statement that writes events would parse and plan the function again.
CREATE TABLE events (
  id text COLLATE "C" PRIMARY KEY,
  organization_id text NOT NULL,
  execution_id text COLLATE "C",
  type text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  body text,
  fanned_out_at timestamptz(3),
  endpoint_id text,
  traceparent varchar(55),
  CONSTRAINT events_type CHECK (CASE WHEN execution_id IS NULL
    THEN type IN ('endpoint.failing', 'endpoint.deactivated', 'endpoint.recovered')
    ELSE type IN ('execution.started', 'execution.completed', 'execution.failed', 'execution.cancelled',
      'execution.expired') END),
  CONSTRAINT events_once CHECK (CASE WHEN execution_id IS NULL THEN endpoint_id IS NOT NULL AND body IS NOT NULL
    ELSE endpoint_id IS NULL AND id = 'evt_' || CASE type WHEN 'execution.started' THEN substr(execution_id, 6)
      ELSE substr(execution_id, 6, length(execution_id) - 6)
        || translate(right(execution_id, 1), '0123456789abcdef', '1032547698badcfe') END END)
) PARTITION BY RANGE (id);
CREATE INDEX events_to_fan_out ON events (created_at) WHERE fanned_out_at IS NULL;
CREATE INDEX endpoint_events_to_fan_out ON events (created_at) WHERE fanned_out_at IS NULL AND execution_id IS NULL;
-- The collation is another one for the same reason as in executions.
CREATE INDEX events_organization_id_created_at_id_idx ON events (organization_id, created_at, id COLLATE "POSIX");

-- Deliveries wait in lanes: an endpoint is one, and so is an origin that an organization's `webhook_url`s name.
-- `deliveries_once` has the body of delivery_id(), as `events_once` has that of event_id().
CREATE TABLE deliveries (
  id text COLLATE "C" PRIMARY KEY,
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
  finished_at timestamptz(3),
  lane text NOT NULL,
  CONSTRAINT deliveries_state CHECK (state IN ('pending', 'delivered', 'failed', 'expired')),
  CONSTRAINT deliveries_finished CHECK ((finished_at IS NULL) = (state = 'pending')),
  CONSTRAINT deliveries_once CHECK (id = 'dlv_' || substr(event_id, 5, 14) || overlay(overlay(
    substr(md5(event_id || coalesce(endpoint_id, ''))::uuid::text, 15) PLACING '7' FROM 1) PLACING 'a' FROM 6))
) PARTITION BY RANGE (id);
CREATE INDEX deliveries_endpoint_id_created_at_idx ON deliveries (endpoint_id, created_at DESC);
CREATE INDEX deliveries_waiting ON deliveries (lane, next_attempt_at) WHERE state = 'pending';

CREATE TABLE delivery_attempts (
  delivery_id text COLLATE "C" NOT NULL,
  number integer NOT NULL,
  started_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  duration_ms integer,
  status_code integer,
  error text,
  stage text,
  answer text,
  PRIMARY KEY (delivery_id, number)
) PARTITION BY RANGE (delivery_id);

-- Files -----------------------------------------------------------------------------------------------------------------------

CREATE TABLE files (
  id text PRIMARY KEY,
  organization_id text NOT NULL,
  origin text NOT NULL,
  execution_id text COLLATE "C",
  state text NOT NULL,
  filename text NOT NULL,
  content_type text,
  size_bytes integer,
  width integer,
  height integer,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  expires_at timestamptz(3),
  object_key text,
  duration_ms integer,
  CONSTRAINT files_state CHECK (state IN ('awaiting_upload', 'ready', 'deleted')),
  CONSTRAINT files_origin CHECK (origin IN ('upload', 'output')),
  CONSTRAINT files_size CHECK (size_bytes BETWEEN 0 AND 157286400 OR origin = 'output')
);
CREATE INDEX files_organization_id_created_at_idx ON files (organization_id, created_at);
CREATE INDEX files_execution ON files (execution_id) WHERE execution_id IS NOT NULL;
CREATE INDEX files_to_delete ON files (expires_at) WHERE expires_at IS NOT NULL AND state <> 'deleted';

-- Operators and tenants -------------------------------------------------------------------------------------------------------

-- What operators did is written with it and never changed.
CREATE TABLE admin_actions (
  id text COLLATE "C" PRIMARY KEY,
  at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  actor text NOT NULL,
  address text NOT NULL,
  request_id text NOT NULL,
  action text NOT NULL,
  organization_id text,
  target text,
  status integer NOT NULL,
  details jsonb NOT NULL DEFAULT '{}'
);
CREATE INDEX admin_actions_at_id_idx ON admin_actions (at, id);
CREATE INDEX admin_actions_organization_id_at_idx ON admin_actions (organization_id, at);

-- Sessions of operators in the console. Only hashes of the cookies are stored.
CREATE TABLE operator_sessions (
  id text COLLATE "C" PRIMARY KEY,
  hash text NOT NULL,
  actor text NOT NULL,
  role text NOT NULL,
  credential text NOT NULL,
  address text NOT NULL,
  user_agent text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  expires_at timestamptz(3) NOT NULL,
  revoked_at timestamptz(3),
  method text NOT NULL DEFAULT 'token',
  CONSTRAINT operator_sessions_role CHECK (role IN ('viewer', 'support', 'admin')),
  CONSTRAINT operator_sessions_method CHECK (method IN ('token', 'link', 'oidc'))
);
CREATE UNIQUE INDEX operator_sessions_hash_key ON operator_sessions (hash);

-- A link that signs an operator in once: using it removes its row.
CREATE TABLE sign_in_links (
  hash text PRIMARY KEY,
  actor text NOT NULL,
  credential text NOT NULL,
  expires_at timestamptz(3) NOT NULL
);

-- A sign-in at the OIDC provider that was started: finishing it removes its row, so none is finished twice.
CREATE TABLE oidc_sign_ins (
  hash text PRIMARY KEY,
  expires_at timestamptz(3) NOT NULL
);
CREATE INDEX oidc_sign_ins_expires_at_idx ON oidc_sign_ins (expires_at);

-- Sign-ins that failed since the last success of an address, for the lock-out.
CREATE TABLE sign_in_failures (
  address text PRIMARY KEY,
  failures integer NOT NULL,
  first_at timestamptz(3) NOT NULL
);
CREATE INDEX sign_in_failures_first_at_idx ON sign_in_failures (first_at);

-- A tenant's session in the portal, or the link that starts one. Later inserts remove ended rows.
CREATE TABLE portal_sessions (
  id text COLLATE "C" PRIMARY KEY,
  organization_id text COLLATE "C" NOT NULL,
  key_hash text,
  capabilities text[],
  frame_ancestors text[],
  accent text,
  logo_url text,
  color_scheme text NOT NULL,
  return_url text,
  link_hash text,
  hash text,
  lifetime_s integer NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  ends_at timestamptz(3) NOT NULL,
  revoked_at timestamptz(3),
  CONSTRAINT portal_sessions_secret CHECK (link_hash IS NOT NULL OR (hash IS NOT NULL AND key_hash IS NOT NULL)),
  CONSTRAINT portal_sessions_lifetime CHECK (lifetime_s BETWEEN 900 AND 86400)
);
CREATE UNIQUE INDEX portal_sessions_link_hash_key ON portal_sessions (link_hash);
CREATE UNIQUE INDEX portal_sessions_hash_key ON portal_sessions (hash);
CREATE INDEX portal_sessions_organization_id_ends_at_idx ON portal_sessions (organization_id, ends_at);
CREATE INDEX portal_sessions_ends_at_idx ON portal_sessions (ends_at);

-- The upkeep of months --------------------------------------------------------------------------------------------------------

-- Months are made ahead and dropped by functions that run as the owner of the tables: no service may do it by hand.

-- Makes the partitions of `first` (any day of that month) and the months after it up to that of `last`, where they are missing,
-- and returns the names of those it made. Callers go one by one. A partition is made beside its table and attached: reads and
-- writes go on meanwhile. Its rows are updated in place where there is room.
CREATE FUNCTION make_partitions(first date, last date) RETURNS SETOF text
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

-- Makes what is missing of this month and `months_ahead` more. It starts with the month of three days ago, because a gateway's
-- clock may be a little behind when a month begins. It waits a second for readers of the transfers without an execution,
-- because others wait behind it.
CREATE FUNCTION make_partitions(months_ahead integer) RETURNS SETOF text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '1s' AS $$
BEGIN
  IF months_ahead IS NULL OR months_ahead NOT BETWEEN 0 AND 24 THEN
    RAISE EXCEPTION 'partitions are made 0 to 24 months ahead, not %', months_ahead
      USING ERRCODE = 'invalid_parameter_value';
  END IF;
  RETURN QUERY SELECT make_partitions((now() AT TIME ZONE 'UTC' - interval '3 days')::date,
    (date_trunc('month', now() AT TIME ZONE 'UTC') + make_interval(months => months_ahead))::date);
END $$;

-- Returns every partition of a month.
CREATE FUNCTION month_partitions() RETURNS TABLE (parent text, partition text, month date)
LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$
  SELECT t.name, c.relname::text, to_date(right(c.relname, 7), 'YYYY_MM')
  FROM monthly_tables() t JOIN pg_inherits i ON i.inhparent = t.name::regclass JOIN pg_class c ON c.oid = i.inhrelid
  WHERE c.relname ~ ('^' || t.name || '_\d{4}_\d{2}$')
$$;

-- Returns the months of executions, events and deliveries that lie wholly before the last `retention_days` days, oldest first;
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

-- Removes what refers to the next `page` executions of an old month after the one named `after`, in the tables that are not
-- partitioned: attempts with their callbacks, idempotency keys; their output files expire. It returns the last of these
-- executions, or null when there is none or the month must stay.
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
  DELETE FROM idempotency_keys k
  WHERE k.created_at BETWEEN next.since AND next.until AND k.execution_id BETWEEN next.first AND next.last;
  UPDATE files f SET expires_at = now()
  WHERE f.execution_id BETWEEN next.first AND next.last AND f.state <> 'deleted'
    AND (f.expires_at IS NULL OR f.expires_at > now());
  RETURN next.last;
END $$;

-- Forgets at most `page` files whose bytes are gone from the store and whose executions were dropped; returns how many.
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

-- Drops the first old month of these tables that can go: all of it or nothing, and one at a time, so that nobody waits long. It
-- returns its partitions with null, and the months that it passed over with why they stay. It waits half a second for whoever
-- works with the tables, because everybody would wait behind it: what is in use then is dropped another time.
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

CREATE FUNCTION drop_partitions(retention_days integer) RETURNS TABLE (partition text, kept text)
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT * FROM drop_first_month(retention_days, ARRAY['executions', 'events', 'deliveries', 'delivery_attempts'])
$$;

-- Drops the log of deliveries alone.
CREATE FUNCTION drop_deliveries(retention_days integer) RETURNS TABLE (partition text, kept text)
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT * FROM drop_first_month(retention_days, ARRAY['deliveries', 'delivery_attempts'])
$$;

-- Drops the first month of the journal that lies wholly before the last `retention_days` days and whose executions were
-- dropped, as `drop_partitions` does. Balances stay, and so does what came or went by no execution; what the month moved is
-- written down with its end. All of its rows are added up in the order in which they are stored: through an index, as a session
-- with `enable_seqscan = off` reads them, it takes many times as long.
CREATE FUNCTION drop_journal_partitions(retention_days integer) RETURNS TABLE (partition text, kept text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '500ms'
SET enable_seqscan = on AS $$
DECLARE
  old record;
BEGIN
  IF retention_days IS NULL OR retention_days < 30 THEN
    RAISE EXCEPTION 'what is younger than 30 days is never dropped' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  PERFORM pg_advisory_xact_lock(hashtext('holdfast partitions'));
  FOR old IN
    SELECT p.partition AS name, p.month, EXISTS (
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
        EXECUTE format($sum$INSERT INTO dropped_journals (organization_id, month, transfers, available, held)
          SELECT organization_id, %L, count(*),
            sum(CASE 'available' WHEN credit_account THEN amount WHEN debit_account THEN -amount ELSE 0 END),
            sum(CASE 'held' WHEN credit_account THEN amount WHEN debit_account THEN -amount ELSE 0 END)
          FROM %I GROUP BY organization_id$sum$, old.month, old.name);
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
  drop_first_month, drop_partitions, drop_deliveries, drop_journal_partitions FROM PUBLIC;

SELECT make_partitions(3);
