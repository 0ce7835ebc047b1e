-- One month per transaction, so that writes wait for no more than that.
DO $$
DECLARE
  month text;
  others integer;
BEGIN
  SELECT min(c.relname), count(*) - 1 INTO month, others
  FROM pg_inherits p JOIN pg_class c ON c.oid = p.inhrelid
  WHERE p.inhparent = 'executions'::regclass AND NOT EXISTS (
    SELECT FROM pg_inherits i JOIN pg_index x ON x.indexrelid = i.inhrelid
    WHERE i.inhparent = 'executions_failures'::regclass AND x.indrelid = c.oid);
  IF month IS NULL THEN RETURN; END IF;
  EXECUTE format('CREATE INDEX %I ON %I (id COLLATE "POSIX") WHERE error_code IS NOT NULL', month || '_failures', month);
  EXECUTE format('ALTER INDEX executions_failures ATTACH PARTITION %I', month || '_failures');
  PERFORM set_config('holdfast.repeat_migration', (others > 0)::text, true);
END $$;
