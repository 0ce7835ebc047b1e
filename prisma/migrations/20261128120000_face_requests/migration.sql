-- The last execution that a request to a face created, by API key, route and body: a repetition whose first response did not
-- arrive joins it (ADR 62). Later requests remove old rows.
CREATE TABLE face_requests (
  api_key_id text NOT NULL,
  route text NOT NULL,
  hash text NOT NULL,
  execution_id text NOT NULL COLLATE "C",
  -- When a request for it last came.
  touched_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  -- When a response was written whole to a connection that was still open; null: none was.
  delivered_at timestamptz(3),
  CONSTRAINT face_requests_pkey PRIMARY KEY (api_key_id, route, hash)
);
ALTER TABLE face_requests SET (fillfactor = 70);
CREATE INDEX face_requests_touched_at_idx ON face_requests (touched_at);
