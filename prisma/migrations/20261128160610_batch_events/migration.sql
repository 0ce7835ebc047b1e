-- Events about a batch: as those about an endpoint, they have their body from the start.
ALTER TABLE events ADD COLUMN batch_id text COLLATE "C",
  -- They take the place of `events_type` and `events_once`.
  ADD CONSTRAINT events_types CHECK (CASE WHEN execution_id IS NOT NULL
      THEN type IN ('execution.started', 'execution.completed', 'execution.failed', 'execution.cancelled', 'execution.expired')
    WHEN batch_id IS NOT NULL THEN type IN ('batch.completed', 'batch.paused', 'batch.cancelled', 'batch.expired')
    ELSE type IN ('endpoint.failing', 'endpoint.deactivated', 'endpoint.recovered') END) NOT VALID,
  ADD CONSTRAINT events_subject CHECK (CASE WHEN execution_id IS NULL
    THEN (endpoint_id IS NULL) = (batch_id IS NOT NULL) AND body IS NOT NULL
    ELSE endpoint_id IS NULL AND batch_id IS NULL AND id = 'evt_' || CASE type WHEN 'execution.started' THEN substr(execution_id, 6)
      ELSE substr(execution_id, 6, length(execution_id) - 6)
        || translate(right(execution_id, 1), '0123456789abcdef', '1032547698badcfe') END END) NOT VALID;
