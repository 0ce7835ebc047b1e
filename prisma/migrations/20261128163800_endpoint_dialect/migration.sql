-- Whose webhooks the deliveries to an endpoint look like. Which dialects there are is the code's business: an older service delivers
-- one that it does not know as Holdfast's own.
ALTER TABLE webhook_endpoints ADD COLUMN dialect text NOT NULL DEFAULT 'holdfast',
  ADD CONSTRAINT webhook_endpoints_dialect CHECK (dialect ~ '^[a-z]{1,20}$');
