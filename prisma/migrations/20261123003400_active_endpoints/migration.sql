-- Every event reads the active endpoints of its organization, of which there are few; deleted ones stay in the table.
CREATE INDEX webhook_endpoints_active ON webhook_endpoints (organization_id) WHERE deleted_at IS NULL AND is_active;
