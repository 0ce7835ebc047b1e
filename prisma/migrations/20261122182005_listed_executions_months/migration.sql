-- One month per transaction, so that writes wait for no more than that; old months come first. Of a database that has indexed
-- them all, because the migration before did that too at first, only the record of that migration changes.
DO $$
DECLARE
  month text;
  others integer;
BEGIN
  UPDATE _prisma_migrations SET checksum = '856f4898dbbe195c94a448ae5a3bd505a58b7239726f64b692aff97c06c7f03e'
  WHERE migration_name = '20261122182000_listed_executions' AND finished_at IS NOT NULL;

  SELECT min(c.relname), count(*) - 1 INTO month, others
  FROM pg_inherits p JOIN pg_class c ON c.oid = p.inhrelid
  WHERE p.inhparent = 'executions'::regclass AND to_regclass('executions_listed') IS NOT NULL AND NOT EXISTS (
    SELECT FROM pg_inherits i JOIN pg_index x ON x.indexrelid = i.inhrelid
    WHERE i.inhparent = to_regclass('executions_listed') AND x.indrelid = c.oid);
  IF month IS NULL THEN RETURN; END IF;
  EXECUTE format('CREATE INDEX %I ON %I (organization_id, created_at DESC, id COLLATE "POSIX" DESC)', month || '_listed', month);
  EXECUTE format('ALTER INDEX executions_listed ATTACH PARTITION %I', month || '_listed');
  PERFORM set_config('holdfast.repeat_migration', (others > 0)::text, true);
END $$;
