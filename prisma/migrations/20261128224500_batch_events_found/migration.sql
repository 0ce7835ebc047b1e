-- By it an erasure finds the events of a batch, which have its metadata.
CREATE INDEX events_of_batches ON ONLY events (batch_id) WHERE batch_id IS NOT NULL;
