-- What a batch reserves is of no execution. An admission returns as much as it holds, and the end of the batch the rest.
ALTER TABLE transfers ADD COLUMN batch_id text COLLATE "C",
  -- They take the place of `transfers_kind` and `transfers_execution`.
  ADD CONSTRAINT transfers_kind_with_reserve CHECK (kind || ' ' || debit_account || ' ' || credit_account IN (
    'hold available held',
    'settle held revenue',
    'remainder held available',
    'release held available',
    'overage available held',
    'write_off write_offs revenue',
    'top_up funding available',
    'correction funding available',
    'correction available funding',
    'reserve available held',
    'unreserve held available')) NOT VALID,
  ADD CONSTRAINT transfers_subject CHECK ((kind IN ('top_up', 'correction', 'reserve', 'unreserve')) = (execution_id IS NULL)
    AND (kind IN ('reserve', 'unreserve')) = (batch_id IS NOT NULL)) NOT VALID;

DO $$
BEGIN
  EXECUTE replace(pg_get_functiondef('post_transfers'::regproc), 'NOT IN (''top_up'', ''correction'', ''hold'')',
    'NOT IN (''top_up'', ''correction'', ''hold'', ''reserve'', ''unreserve'')');
END $$;
