-- The place of an execution, and of its events, in a trace (W3C Trace Context). Null where there is none, and in what a
-- version before this one writes. The length bounds it: a check would have every row read while the tables are locked.
ALTER TABLE executions ADD COLUMN traceparent VARCHAR(55);
ALTER TABLE events ADD COLUMN traceparent VARCHAR(55);
