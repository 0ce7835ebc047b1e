-- Why an item failed as soon as it was taken in: its line asked for no execution that could be created.
ALTER TABLE batch_items ADD COLUMN error json,
  ADD CONSTRAINT batch_items_error CHECK (error IS NULL OR (status = 'failed' AND execution_id IS NULL)) NOT VALID;
