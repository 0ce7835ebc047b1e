ALTER TABLE attempts ADD COLUMN model_version uuid;
