-- A large output between its record and its settlement. The outcome beside it, which settlements read several times, has no
-- `ok` meanwhile: the previous version leaves such an attempt to a ledger of this one.
ALTER TABLE attempts ADD COLUMN output json;

-- As in the next migration: a settlement copies it as it is stored.
DO $$
BEGIN
  IF (SELECT 'lz4' = ANY (enumvals) FROM pg_settings WHERE name = 'default_toast_compression') THEN
    ALTER TABLE attempts ALTER COLUMN output SET COMPRESSION lz4;
  ELSE
    ALTER TABLE attempts ALTER COLUMN output SET STORAGE EXTERNAL;
  END IF;
END $$;
