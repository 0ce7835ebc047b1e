-- Partial images are shown by a stream (ADR 61), and removed with its events; outputs stay.
ALTER TABLE files ADD COLUMN is_partial boolean NOT NULL DEFAULT false;
