-- What a client asks of an execution beside its input: how long it may wait for its start, and how long its files are kept.
ALTER TABLE executions ADD COLUMN run_timeout_s integer, ADD COLUMN files_for_s integer,
  ADD CONSTRAINT executions_seconds CHECK (run_timeout_s > 0 AND files_for_s > 0) NOT VALID;
