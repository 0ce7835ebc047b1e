-- A provider that is busy has not refused a try: the same one waits, and counts how often it was put off since when.
ALTER TABLE attempts
  ADD COLUMN busy_refusals INTEGER NOT NULL DEFAULT 0,
  ADD COLUMN busy_since TIMESTAMPTZ(3);
