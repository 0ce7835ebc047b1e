-- Accepts what `streams_kind` did, and images.
ALTER TABLE streams ADD CONSTRAINT streams_kinds CHECK (kind IN ('text', 'json', 'audio', 'image')) NOT VALID,
  DROP CONSTRAINT streams_kind;
