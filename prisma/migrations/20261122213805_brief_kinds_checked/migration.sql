-- Writes go on while the journal is read. Apart from the swap: if that has to wait for the table, it does not read all of it again.
-- A database that has swapped them already has no such constraint.
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_constraint WHERE conrelid = 'transfers'::regclass AND conname = 'transfers_kind_brief') THEN
    ALTER TABLE transfers VALIDATE CONSTRAINT transfers_kind_brief;
  END IF;
END $$;
