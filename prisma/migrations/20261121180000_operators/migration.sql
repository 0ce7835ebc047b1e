-- What a key may do beyond its permissions, how long, for which models and from where. Null or empty: without a bound.
ALTER TABLE api_keys
  ADD COLUMN scopes TEXT[],
  ADD COLUMN expires_at TIMESTAMPTZ(3),
  ADD COLUMN models TEXT[] NOT NULL DEFAULT '{}',
  ADD COLUMN addresses TEXT[] NOT NULL DEFAULT '{}';

-- The organization that another's test keys belong to: its own executions, webhooks and play money.
ALTER TABLE organizations ADD COLUMN test_of TEXT;
CREATE UNIQUE INDEX organizations_test_of_key ON organizations (test_of);

-- What operators did, written with it and never changed.
CREATE TABLE admin_actions (
  id TEXT NOT NULL COLLATE "C",
  at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  actor TEXT NOT NULL,
  address TEXT NOT NULL,
  request_id TEXT NOT NULL,
  action TEXT NOT NULL,
  organization_id TEXT,
  target TEXT,
  status INTEGER NOT NULL,
  details JSONB NOT NULL DEFAULT '{}',
  CONSTRAINT admin_actions_pkey PRIMARY KEY (id)
);
CREATE INDEX admin_actions_at_id_idx ON admin_actions (at, id);
CREATE INDEX admin_actions_organization_id_at_idx ON admin_actions (organization_id, at);
