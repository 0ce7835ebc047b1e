-- Writes go on while the journal is read.
ALTER TABLE transfers VALIDATE CONSTRAINT transfers_kind_brief;
ALTER TABLE transfers DROP CONSTRAINT transfers_kind;
ALTER TABLE transfers RENAME CONSTRAINT transfers_kind_brief TO transfers_kind;
