-- Null: not a rerun. The next migration adds the index of each month.
ALTER TABLE executions ADD COLUMN rerun_of text;
CREATE INDEX executions_rerun_of_idx ON ONLY executions (rerun_of) WHERE rerun_of IS NOT NULL;
