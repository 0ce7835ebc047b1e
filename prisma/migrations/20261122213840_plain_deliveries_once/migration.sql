-- The same rule as deliveries_once with the body of delivery_id() in place of the call, as in events_once.
ALTER TABLE deliveries
  ADD CONSTRAINT deliveries_once_plain CHECK (id = 'dlv_' || substr(event_id, 5, 14) || overlay(overlay(
    substr(md5(event_id || coalesce(endpoint_id, ''))::uuid::text, 15) PLACING '7' FROM 1) PLACING 'a' FROM 6)) NOT VALID;
