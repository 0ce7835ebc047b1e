-- When an operator asked for an audit that has not started yet.
ALTER TABLE ledger_audits ADD COLUMN requested_at timestamptz(3);
