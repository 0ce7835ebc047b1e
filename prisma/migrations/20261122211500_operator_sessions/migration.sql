-- Sessions of operators in the console. Only hashes of the cookies are stored.
CREATE TABLE operator_sessions (
  id TEXT NOT NULL COLLATE "C",
  hash TEXT NOT NULL,
  actor TEXT NOT NULL,
  role TEXT NOT NULL,
  credential TEXT NOT NULL,
  address TEXT NOT NULL,
  user_agent TEXT NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  expires_at TIMESTAMPTZ(3) NOT NULL,
  revoked_at TIMESTAMPTZ(3),
  CONSTRAINT operator_sessions_pkey PRIMARY KEY (id),
  CONSTRAINT operator_sessions_role CHECK (role IN ('viewer', 'support', 'admin'))
);
CREATE UNIQUE INDEX operator_sessions_hash_key ON operator_sessions (hash);

-- Links that sign an operator in once: using one removes its row.
CREATE TABLE sign_in_links (
  hash TEXT NOT NULL,
  actor TEXT NOT NULL,
  credential TEXT NOT NULL,
  expires_at TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT sign_in_links_pkey PRIMARY KEY (hash)
);

-- Sign-ins since the last success of an address, for the lock-out.
CREATE TABLE sign_in_failures (
  address TEXT NOT NULL,
  failures INTEGER NOT NULL,
  first_at TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT sign_in_failures_pkey PRIMARY KEY (address)
);
CREATE INDEX sign_in_failures_first_at_idx ON sign_in_failures (first_at);
