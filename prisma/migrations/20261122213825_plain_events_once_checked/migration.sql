-- Writes go on while the events are read. Apart from the swap: if that has to wait for the table, it does not read all of it again.
-- A database that has swapped them already has no such constraint.
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_constraint WHERE conrelid = 'events'::regclass AND conname = 'events_once_plain') THEN
    ALTER TABLE events VALIDATE CONSTRAINT events_once_plain;
  END IF;
END $$;
