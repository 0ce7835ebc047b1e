-- One month per transaction, so that writes wait for no more than that; old months come first. Of a database that has indexed
-- them all, because the migration before did that too at first, only the record of that migration changes.
DO $$
DECLARE
  month text;
  others integer;
BEGIN
  UPDATE _prisma_migrations SET checksum = '9f8e470c3ebea32bdeac56ae2605366117aee1eb4a8b381c0cd1515b4b817537'
  WHERE migration_name = '20261122182100_listed_events' AND finished_at IS NOT NULL;

  SELECT min(c.relname), count(*) - 1 INTO month, others
  FROM pg_inherits p JOIN pg_class c ON c.oid = p.inhrelid
  WHERE p.inhparent = 'events'::regclass AND to_regclass('events_listed') IS NOT NULL AND NOT EXISTS (
    SELECT FROM pg_inherits i JOIN pg_index x ON x.indexrelid = i.inhrelid
    WHERE i.inhparent = to_regclass('events_listed') AND x.indrelid = c.oid);
  IF month IS NULL THEN RETURN; END IF;
  EXECUTE format('CREATE INDEX %I ON %I (organization_id, created_at, id COLLATE "POSIX")', month || '_listed', month);
  EXECUTE format('ALTER INDEX events_listed ATTACH PARTITION %I', month || '_listed');
  PERFORM set_config('holdfast.repeat_migration', (others > 0)::text, true);
END $$;
