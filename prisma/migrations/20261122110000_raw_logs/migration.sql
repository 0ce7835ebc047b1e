-- The provider's log of a run, for operators alone. Null where the model shows logs to clients (then the execution has it), and in
-- what the version before this one writes.
ALTER TABLE attempts ADD COLUMN raw_logs TEXT;
