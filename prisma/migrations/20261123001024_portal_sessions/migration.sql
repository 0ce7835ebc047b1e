-- A tenant's session in the portal, or the link that starts one. Ended rows are removed by later inserts.
CREATE TABLE portal_sessions (
  id TEXT NOT NULL COLLATE "C",
  organization_id TEXT NOT NULL COLLATE "C",
  key_hash TEXT,
  capabilities TEXT[],
  frame_ancestors TEXT[],
  accent TEXT,
  logo_url TEXT,
  color_scheme TEXT NOT NULL,
  return_url TEXT,
  link_hash TEXT,
  hash TEXT,
  lifetime_s INTEGER NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  ends_at TIMESTAMPTZ(3) NOT NULL,
  revoked_at TIMESTAMPTZ(3),
  CONSTRAINT portal_sessions_pkey PRIMARY KEY (id),
  CONSTRAINT portal_sessions_secret CHECK (link_hash IS NOT NULL OR (hash IS NOT NULL AND key_hash IS NOT NULL)),
  CONSTRAINT portal_sessions_lifetime CHECK (lifetime_s BETWEEN 900 AND 86400)
);
CREATE UNIQUE INDEX portal_sessions_link_hash_key ON portal_sessions (link_hash);
CREATE UNIQUE INDEX portal_sessions_hash_key ON portal_sessions (hash);
CREATE INDEX portal_sessions_organization_id_ends_at_idx ON portal_sessions (organization_id, ends_at);
CREATE INDEX portal_sessions_ends_at_idx ON portal_sessions (ends_at);
