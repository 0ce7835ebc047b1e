-- Writes go on while the deliveries are read. Apart from the swap: if that has to wait for the table, it does not read all of it again.
-- A database that has swapped them already has no such constraint.
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_constraint WHERE conrelid = 'deliveries'::regclass AND conname = 'deliveries_once_plain') THEN
    ALTER TABLE deliveries VALIDATE CONSTRAINT deliveries_once_plain;
  END IF;
END $$;
