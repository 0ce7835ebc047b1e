-- Executions whose client wants a webhook at new output or logs, from the fan-out of their start until they have ended. Few at a
-- time, and read as a whole, so no index but the key's. Not partitioned: a row is gone with its execution's end.
CREATE TABLE webhook_updates (
  execution_id text NOT NULL COLLATE "C",
  types text[],
  events integer NOT NULL DEFAULT 0,
  logged bigint NOT NULL DEFAULT 0,
  next_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT webhook_updates_pkey PRIMARY KEY (execution_id),
  CONSTRAINT webhook_updates_types CHECK (types <@ '{output,logs}' AND cardinality(types) > 0),
  CONSTRAINT webhook_updates_seen CHECK (events >= 0 AND logged >= 0)
);
ALTER TABLE webhook_updates SET (fillfactor = 70);
