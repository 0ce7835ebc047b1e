DO $$
DECLARE
  part text;
  others integer;
BEGIN
  SELECT min(c.relname), count(*) - 1 INTO part, others
  FROM pg_inherits p JOIN pg_class c ON c.oid = p.inhrelid
  WHERE p.inhparent = 'events'::regclass AND NOT EXISTS (
    SELECT FROM pg_inherits i JOIN pg_index x ON x.indexrelid = i.inhrelid
    WHERE i.inhparent = 'events_of_batches'::regclass AND x.indrelid = c.oid);
  IF part IS NULL THEN RETURN; END IF;
  EXECUTE format('CREATE INDEX %I ON %I (batch_id) WHERE batch_id IS NOT NULL', part || '_of_batches', part);
  EXECUTE format('ALTER INDEX events_of_batches ATTACH PARTITION %I', part || '_of_batches');
  PERFORM set_config('holdfast.repeat_migration', (others > 0)::text, true);
END $$;
