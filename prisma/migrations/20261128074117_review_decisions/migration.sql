-- What an operator decides about the cost that was not charged. `accepted` charges an amount by a correction, which `charged` and
-- `correction` record; `written_off` charges nothing.
ALTER TABLE reviews
  ADD COLUMN reason text,
  ADD COLUMN charged numeric(24, 8),
  ADD COLUMN correction bigint,
  ADD COLUMN idempotency_key text,
  DROP CONSTRAINT reviews_decided,
  ADD CONSTRAINT reviews_decided CHECK (num_nulls(decided_at, decided_by, reason, idempotency_key)
    = CASE state WHEN 'open' THEN 4 ELSE 0 END),
  ADD CONSTRAINT reviews_charged CHECK (num_nulls(charged, correction) = CASE state WHEN 'accepted' THEN 0 ELSE 2 END
    AND (charged IS NULL OR (charged > 0 AND charged <= reported_cost - hold)));

-- The open ones are few, and counted every few seconds.
CREATE INDEX reviews_open ON reviews (execution_id) INCLUDE (created_at) WHERE state = 'open';
