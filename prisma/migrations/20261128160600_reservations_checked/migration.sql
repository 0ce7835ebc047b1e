-- Their places were taken. An audit looks for the names.
ALTER TABLE transfers DROP CONSTRAINT transfers_kind, DROP CONSTRAINT transfers_execution;
ALTER TABLE transfers RENAME CONSTRAINT transfers_kind_with_reserve TO transfers_kind;
ALTER TABLE transfers RENAME CONSTRAINT transfers_subject TO transfers_execution;
