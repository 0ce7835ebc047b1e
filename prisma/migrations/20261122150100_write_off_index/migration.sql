-- Reads the journal. Writes go on while the constraint is checked; while a month is indexed, they wait for that month
-- alone. Old months come first: nothing is added to them.
ALTER TABLE transfers VALIDATE CONSTRAINT transfers_kind_next;

DO $$
DECLARE
  month record;
BEGIN
  FOR month IN
    SELECT c.relname AS name FROM pg_inherits p JOIN pg_class c ON c.oid = p.inhrelid
    WHERE p.inhparent = 'transfers'::regclass AND NOT EXISTS (
      SELECT FROM pg_inherits i JOIN pg_index x ON x.indexrelid = i.inhrelid
      WHERE i.inhparent = 'transfers_once_next'::regclass AND x.indrelid = c.oid)
    ORDER BY c.relname
  LOOP
    EXECUTE format('CREATE UNIQUE INDEX %I ON %I (execution_id, (CASE kind WHEN ''hold'' THEN 1 WHEN ''settle'' THEN 2
      WHEN ''release'' THEN 2 WHEN ''write_off'' THEN 4 ELSE 3 END))', month.name || '_once', month.name);
    EXECUTE format('ALTER INDEX transfers_once_next ATTACH PARTITION %I', month.name || '_once');
  END LOOP;
END $$;
