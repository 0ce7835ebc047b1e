-- The same rule as transfers_kind, a sixth as long: every statement that adds transfers reads and prepares it. None of the
-- listed texts contains a space, so that they are equal only if all three columns are.
ALTER TABLE transfers
  ADD CONSTRAINT transfers_kind_brief CHECK (kind || ' ' || debit_account || ' ' || credit_account IN (
    'hold available held',
    'settle held revenue',
    'remainder held available',
    'release held available',
    'overage available held',
    'write_off write_offs revenue',
    'top_up funding available',
    'correction funding available',
    'correction available funding')) NOT VALID;
