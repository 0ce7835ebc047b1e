-- The new kind of transfer. The constraint and the index that allow it take the places of the old ones once they cover
-- the whole journal.
ALTER TABLE transfers
  ADD CONSTRAINT transfers_kind_next CHECK ((kind, debit_account, credit_account) IN (
    ('top_up', 'funding', 'available'),
    ('correction', 'funding', 'available'),
    ('correction', 'available', 'funding'),
    ('hold', 'available', 'held'),
    ('overage', 'available', 'held'),
    ('settle', 'held', 'revenue'),
    ('remainder', 'held', 'available'),
    ('release', 'held', 'available'),
    ('write_off', 'write_offs', 'revenue'))) NOT VALID;
CREATE UNIQUE INDEX transfers_once_next ON ONLY transfers (execution_id, (CASE kind WHEN 'hold' THEN 1
  WHEN 'settle' THEN 2 WHEN 'release' THEN 2 WHEN 'write_off' THEN 4 ELSE 3 END));
