-- Batches (ADR 65).

-- The counts add up, and what has ended has nothing open: whoever writes, the database refuses anything else.
CREATE TABLE batches (
  id text COLLATE "C" PRIMARY KEY,
  organization_id text NOT NULL,
  api_key_id text NOT NULL,
  status text NOT NULL DEFAULT 'open',
  ends_as text,
  reason text,
  model text,
  defaults json,
  metadata json,
  webhook_url text,
  max_cost numeric(24, 8),
  on_insufficient_balance text NOT NULL DEFAULT 'pause',
  window_s integer NOT NULL,
  events text NOT NULL DEFAULT 'none',
  reserve boolean NOT NULL DEFAULT false,
  total integer NOT NULL DEFAULT 0,
  waiting integer NOT NULL DEFAULT 0,
  running integer NOT NULL DEFAULT 0,
  completed integer NOT NULL DEFAULT 0,
  failed integer NOT NULL DEFAULT 0,
  cancelled integer NOT NULL DEFAULT 0,
  expired integer NOT NULL DEFAULT 0,
  ended bigint NOT NULL DEFAULT 0,
  cost numeric(24, 8) NOT NULL DEFAULT 0,
  held numeric(24, 8) NOT NULL DEFAULT 0,
  reserved numeric(24, 8) NOT NULL DEFAULT 0,
  idempotency_key text,
  request_hash text,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  sealed_at timestamptz(3),
  expires_at timestamptz(3) NOT NULL,
  ended_at timestamptz(3),
  erased_at timestamptz(3),
  erased_to text,
  CONSTRAINT batches_status CHECK (status IN
    ('open', 'running', 'paused', 'finishing', 'completed', 'cancelled', 'expired')),
  CONSTRAINT batches_ends_as CHECK (CASE WHEN status = 'finishing' THEN ends_as IN ('completed', 'cancelled', 'expired')
    WHEN status IN ('completed', 'cancelled', 'expired') THEN ends_as = status ELSE ends_as IS NULL END),
  CONSTRAINT batches_reason CHECK (CASE WHEN status = 'paused'
    THEN reason IN ('insufficient_balance', 'spend_limit', 'max_cost', 'requested') ELSE reason IS NULL END),
  CONSTRAINT batches_policies CHECK (on_insufficient_balance IN ('pause', 'cancel') AND events IN ('none', 'failed', 'all')
    AND max_cost >= 0 AND window_s > 0),
  CONSTRAINT batches_counts CHECK (total = waiting + running + completed + failed + cancelled + expired
    AND least(waiting, running, completed, failed, cancelled, expired) >= 0),
  CONSTRAINT batches_amounts CHECK (cost >= 0 AND held >= 0 AND reserved >= 0),
  CONSTRAINT batches_ended CHECK ((ended_at IS NOT NULL) = (status IN ('completed', 'cancelled', 'expired'))
    AND (ended_at IS NULL OR (waiting = 0 AND running = 0 AND held = 0 AND reserved = 0))),
  CONSTRAINT batches_erased CHECK ((erased_at IS NULL OR ended_at IS NOT NULL) AND (erased_to IS NULL OR erased_at IS NOT NULL))
) WITH (fillfactor = 50);
CREATE INDEX batches_organization_id_id_idx ON batches (organization_id, id);
CREATE UNIQUE INDEX batches_idempotency ON batches (organization_id, idempotency_key) WHERE idempotency_key IS NOT NULL;
-- Few rows of a table that may be large, read several times a second.
CREATE INDEX batches_unended ON batches (id) WHERE ended_at IS NULL;
CREATE INDEX batches_erasing ON batches (id) WHERE erased_to IS NOT NULL;

CREATE TABLE batch_items (
  batch_id text COLLATE "C" NOT NULL,
  custom_id text NOT NULL,
  position bigint NOT NULL,
  hash uuid NOT NULL,
  status text NOT NULL DEFAULT 'waiting',
  model text NOT NULL,
  input json,
  metadata json,
  timeout_s integer NOT NULL,
  estimated_cost numeric(24, 8) NOT NULL,
  hold numeric(24, 8) NOT NULL,
  model_version uuid,
  execution_id text COLLATE "C",
  former_ids text[] NOT NULL DEFAULT '{}',
  number bigint,
  PRIMARY KEY (batch_id, custom_id),
  CONSTRAINT batch_items_status CHECK (status IN ('waiting', 'running', 'completed', 'failed', 'cancelled', 'expired')),
  CONSTRAINT batch_items_number CHECK ((number IS NULL) = (status IN ('waiting', 'running'))),
  CONSTRAINT batch_items_input CHECK (CASE status WHEN 'waiting' THEN input IS NOT NULL WHEN 'running' THEN execution_id IS NOT NULL
    ELSE true END)
) PARTITION BY RANGE (batch_id);
-- Each item is in one of them: admission takes from the first, the output file is the second, the error file the third.
CREATE INDEX batch_items_open ON batch_items (batch_id, status, position) WHERE number IS NULL;
CREATE INDEX batch_items_completed ON batch_items (batch_id, number) WHERE status = 'completed';
CREATE INDEX batch_items_unsuccessful ON batch_items (batch_id, number) WHERE status IN ('failed', 'cancelled', 'expired');

-- Counts the items that a statement ends, and numbers them in the order of the commits: batches are locked after balances.
CREATE FUNCTION count_batch_items() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp SET enable_seqscan = off AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM after WHERE batch_id IS NOT NULL AND completed_at IS NOT NULL) THEN RETURN NULL; END IF;
  PERFORM FROM batches WHERE id = ANY (ARRAY (SELECT batch_id FROM after WHERE completed_at IS NOT NULL)) ORDER BY id FOR UPDATE;
  WITH one AS MATERIALIZED (
    SELECT a.id, a.batch_id, a.custom_id, lower(a.status) AS status, a.cost, a.hold_amount,
      row_number() OVER (PARTITION BY a.batch_id ORDER BY a.id) AS nth
    FROM after a JOIN before b ON b.id = a.id
    WHERE a.batch_id IS NOT NULL AND a.completed_at IS NOT NULL AND b.completed_at IS NULL
  ),
  summed AS MATERIALIZED (
    SELECT batch_id, count(*) AS ended, sum(hold_amount) AS held, coalesce(sum(cost), 0) AS cost,
      count(*) FILTER (WHERE status = 'completed') AS completed, count(*) FILTER (WHERE status = 'failed') AS failed,
      count(*) FILTER (WHERE status = 'cancelled') AS cancelled, count(*) FILTER (WHERE status = 'expired') AS expired
    FROM one GROUP BY batch_id
  ),
  counted AS (
    UPDATE batches b SET running = b.running - s.ended, ended = b.ended + s.ended, held = b.held - s.held,
      cost = b.cost + s.cost, completed = b.completed + s.completed, failed = b.failed + s.failed,
      cancelled = b.cancelled + s.cancelled, expired = b.expired + s.expired
    FROM summed s WHERE b.id >= s.batch_id AND b.id <= s.batch_id
    RETURNING b.id, b.ended - s.ended AS before
  )
  UPDATE batch_items i SET status = o.status, number = c.before + o.nth FROM one o JOIN counted c ON c.id = o.batch_id
  WHERE i.batch_id = o.batch_id AND i.custom_id = o.custom_id AND i.execution_id = o.id;
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION count_batch_items FROM PUBLIC;

CREATE OR REPLACE FUNCTION monthly_tables() RETURNS TABLE (name text, key text, prefix text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  VALUES ('executions', 'id', 'exec'), ('transfers', 'execution_id', 'exec'), ('events', 'id', 'evt'),
    ('deliveries', 'id', 'dlv'), ('delivery_attempts', 'delivery_id', 'dlv'), ('streams', 'execution_id', 'exec'),
    ('stream_events', 'execution_id', 'exec'), ('batch_items', 'batch_id', 'bat')
$$;

-- Items are updated in place where there is room, and a month stays until its batches have ended.
DO $$
BEGIN
  EXECUTE replace(pg_get_functiondef('make_partitions(date, date)'::regprocedure),
    'IN (''executions'', ''deliveries'')', 'IN (''executions'', ''deliveries'', ''batch_items'')');
  EXECUTE replace(pg_get_functiondef('old_months'::regproc), 'RETURN NEXT;',
    $new$IF kept IS NULL AND EXISTS (SELECT FROM batches b WHERE b.ended_at IS NULL AND b.id >= month_bound('bat', month)
      AND b.id < month_bound('bat', (month + interval '1 month')::date)) THEN
      kept := 'batches of it have not ended';
    END IF;
    RETURN NEXT;$new$);
END $$;

-- The rows of the batches and of their files go with the items.
CREATE OR REPLACE FUNCTION drop_partitions(retention_days integer) RETURNS TABLE (partition text, kept text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  RETURN QUERY SELECT * FROM drop_first_month(retention_days, ARRAY['executions', 'events', 'deliveries',
    'delivery_attempts', 'streams', 'stream_events', 'batch_items']);
  WITH gone AS (
    DELETE FROM batches b WHERE b.ended_at IS NOT NULL
      AND b.id < (SELECT month_bound('bat', min(p.month)) FROM month_partitions() p WHERE p.parent = 'batch_items')
    RETURNING b.id
  )
  DELETE FROM files f WHERE f.id = ANY (ARRAY (SELECT batch_file_id(id, kind) FROM gone, unnest(ARRAY['output', 'error']) kind));
END $$;

-- A batch has two files, whose ids are its own: that of the errors has one bit turned.
CREATE FUNCTION batch_file_id(batch_id text, kind text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT 'file_' || CASE kind WHEN 'output' THEN substr(batch_id, 5) ELSE substr(batch_id, 5, length(batch_id) - 5)
    || translate(right(batch_id, 1), '0123456789abcdef', '1032547698badcfe') END
$$;

SELECT make_partitions(min(month), max(month)) FROM month_partitions() WHERE parent = 'executions';
