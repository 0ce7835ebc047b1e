-- `max_in_flight` bounds a limit that senders find by themselves and keep here. 8, the default until now, becomes the new
-- one; such an endpoint starts at 8 and gets more only while it keeps up.
ALTER TABLE webhook_endpoints
  ADD COLUMN in_flight_limit integer,
  ALTER COLUMN max_in_flight SET DEFAULT 256,
  ADD CONSTRAINT webhook_endpoints_in_flight_limit CHECK (in_flight_limit > 0);
UPDATE webhook_endpoints SET max_in_flight = 256, in_flight_limit = 8 WHERE max_in_flight = 8;
