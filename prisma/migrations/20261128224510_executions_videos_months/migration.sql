DO $$
DECLARE
  part text;
  others integer;
BEGIN
  SELECT min(c.relname), count(*) - 1 INTO part, others
  FROM pg_inherits p JOIN pg_class c ON c.oid = p.inhrelid
  WHERE p.inhparent = 'executions'::regclass AND NOT EXISTS (
    SELECT FROM pg_inherits i JOIN pg_index x ON x.indexrelid = i.inhrelid
    WHERE i.inhparent = 'executions_videos'::regclass AND x.indrelid = c.oid);
  IF part IS NULL THEN RETURN; END IF;
  EXECUTE format('CREATE INDEX %I ON %I (organization_id, id COLLATE "POSIX")
    WHERE webhook_dialect ->> ''operation'' = ''videos'' AND erased_at IS NULL', part || '_videos', part);
  EXECUTE format('ALTER INDEX executions_videos ATTACH PARTITION %I', part || '_videos');
  PERFORM set_config('holdfast.repeat_migration', (others > 0)::text, true);
END $$;
