-- Sign-ins at the OIDC provider that were started: finishing one removes its row, so that none is finished twice.
CREATE TABLE oidc_sign_ins (
  hash TEXT NOT NULL,
  expires_at TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT oidc_sign_ins_pkey PRIMARY KEY (hash)
);
CREATE INDEX oidc_sign_ins_expires_at_idx ON oidc_sign_ins (expires_at);
