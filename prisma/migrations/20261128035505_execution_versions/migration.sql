ALTER TABLE executions ADD COLUMN model_version uuid;
