ALTER TABLE batches ADD COLUMN face json, ADD COLUMN intake_at timestamptz(3), ADD COLUMN input_errors json,
  ADD CONSTRAINT batches_intake CHECK (intake_at IS NULL OR face IS NOT NULL) NOT VALID;
CREATE INDEX batches_intake ON batches (intake_at) WHERE status = 'open' AND intake_at IS NOT NULL;
