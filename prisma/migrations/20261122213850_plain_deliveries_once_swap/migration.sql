-- Writes go on while the deliveries are read.
ALTER TABLE deliveries VALIDATE CONSTRAINT deliveries_once_plain;
ALTER TABLE deliveries DROP CONSTRAINT deliveries_once;
ALTER TABLE deliveries RENAME CONSTRAINT deliveries_once_plain TO deliveries_once;
