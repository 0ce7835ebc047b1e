-- How the operator of a session signed in. Gateways of the version before start sessions with tokens and links.
ALTER TABLE operator_sessions
  ADD COLUMN method TEXT NOT NULL DEFAULT 'token',
  ADD CONSTRAINT operator_sessions_method CHECK (method IN ('token', 'link', 'oidc'));
