-- Writes go on while the events are read.
ALTER TABLE events VALIDATE CONSTRAINT events_once_plain;
ALTER TABLE events DROP CONSTRAINT events_once;
ALTER TABLE events RENAME CONSTRAINT events_once_plain TO events_once;
