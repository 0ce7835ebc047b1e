-- What a run cost beyond what was charged (`cost`); null: nothing.
ALTER TABLE executions
  ADD COLUMN written_off numeric(24, 8),
  ADD CONSTRAINT executions_written_off CHECK (written_off IS NULL OR (written_off > 0 AND cost IS NOT NULL)) NOT VALID;
