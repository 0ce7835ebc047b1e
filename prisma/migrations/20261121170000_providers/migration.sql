-- What a run tells of itself while it goes on, and who goes first. New columns break no rule: nothing need be read for it.
ALTER TABLE executions
  ADD COLUMN priority SMALLINT NOT NULL DEFAULT 1,
  ADD COLUMN progress REAL,
  ADD COLUMN queue_position INTEGER,
  ADD COLUMN logs TEXT,
  ADD COLUMN logs_total BIGINT NOT NULL DEFAULT 0,
  ADD CONSTRAINT executions_priority CHECK (priority BETWEEN 0 AND 2) NOT VALID,
  ADD CONSTRAINT executions_progress CHECK (progress BETWEEN 0 AND 1) NOT VALID;
-- The sweep looks at the first of each organization: one with a hundred thousand must not hide another's only one.
DROP INDEX executions_pending;
CREATE INDEX executions_pending ON executions (organization_id, priority, created_at) WHERE status = 'PENDING';

-- A try that its provider refused is followed by the next, which waits for its time (poll_at).
ALTER TABLE attempts
  ADD COLUMN target TEXT NOT NULL DEFAULT '',
  ADD COLUMN raw_error TEXT,
  ADD COLUMN logged INTEGER NOT NULL DEFAULT 0,
  DROP CONSTRAINT attempts_state,
  ADD CONSTRAINT attempts_state CHECK (state IN
    ('waiting', 'starting', 'running', 'succeeded', 'failed', 'refused', 'unknown', 'cancelled'));
-- Such a try is not what its execution came to: the ledger passes it over.
DROP INDEX attempts_to_settle;
CREATE INDEX attempts_to_settle ON attempts (finished_at)
  WHERE outcome IS NOT NULL AND settled_at IS NULL AND state <> 'refused';
CREATE INDEX attempts_waiting ON attempts (poll_at) WHERE finished_at IS NULL AND state = 'waiting';
-- Never two runs of an execution at once, whoever asks.
CREATE UNIQUE INDEX attempts_open ON attempts (execution_id) WHERE finished_at IS NULL;

ALTER TABLE files ADD COLUMN duration_ms INTEGER;

ALTER TABLE organizations
  ADD COLUMN max_concurrency INTEGER,
  ADD CONSTRAINT organizations_max_concurrency CHECK (max_concurrency > 0);

-- A model names its providers in order.
UPDATE models SET definition = (definition - 'provider') || jsonb_build_object('providers', jsonb_build_array(definition -> 'provider'))
WHERE definition ? 'provider';
