-- The same rule as events_once with the body of event_id() in place of the call: every statement that writes events would
-- parse and plan the function again.
ALTER TABLE events
  ADD CONSTRAINT events_once_plain CHECK (CASE WHEN execution_id IS NULL THEN endpoint_id IS NOT NULL AND body IS NOT NULL
    ELSE endpoint_id IS NULL AND id = 'evt_' || CASE type WHEN 'execution.started' THEN substr(execution_id, 6)
      ELSE substr(execution_id, 6, length(execution_id) - 6)
        || translate(right(execution_id, 1), '0123456789abcdef', '1032547698badcfe') END END) NOT VALID;
