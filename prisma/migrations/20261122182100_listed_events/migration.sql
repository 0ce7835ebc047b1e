-- The index of lists has the ids under another collation that sorts them alike, and so serves no look-up by id: the planner took
-- it for one where it believed a month to be empty, and read all of it for each row. While a month is indexed, writes wait
-- for that month alone. Old months come first: nothing is added to them.
CREATE INDEX events_listed ON ONLY events (organization_id, created_at, id COLLATE "POSIX");

DO $$
DECLARE
  month record;
BEGIN
  FOR month IN
    SELECT c.relname AS name FROM pg_inherits p JOIN pg_class c ON c.oid = p.inhrelid
    WHERE p.inhparent = 'events'::regclass ORDER BY c.relname
  LOOP
    EXECUTE format('CREATE INDEX %I ON %I (organization_id, created_at, id COLLATE "POSIX")', month.name || '_listed', month.name);
    EXECUTE format('ALTER INDEX events_listed ATTACH PARTITION %I', month.name || '_listed');
  END LOOP;
END $$;
