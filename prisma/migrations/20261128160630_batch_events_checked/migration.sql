-- Their places were taken by `events_types` and `events_subject`.
ALTER TABLE events DROP CONSTRAINT events_type, DROP CONSTRAINT events_once;
