-- The item that an execution runs, and which events it has; null: all.
ALTER TABLE executions ADD COLUMN batch_id text COLLATE "C", ADD COLUMN custom_id text, ADD COLUMN events text,
  ADD CONSTRAINT executions_batch CHECK ((batch_id IS NULL) = (custom_id IS NULL)) NOT VALID,
  ADD CONSTRAINT executions_events CHECK (events IN ('none', 'failed')) NOT VALID,
  -- Takes the place of `executions_priority`.
  ADD CONSTRAINT executions_ranks CHECK (priority BETWEEN 0 AND 3) NOT VALID;

CREATE TRIGGER executions_batch_items AFTER UPDATE ON executions REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION count_batch_items();
