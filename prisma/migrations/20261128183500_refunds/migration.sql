-- A refund is a correction that names the execution whose charge it returns. The sum of an execution's refunds is guarded by the
-- statement that adds them (db/src/refunds.ts).
ALTER TABLE transfers ADD COLUMN refund_of text COLLATE "C",
  ADD CONSTRAINT transfers_refund CHECK (refund_of IS NULL OR kind = 'correction' AND debit_account = 'funding') NOT VALID;
