-- The overview and the list of failing endpoints read these few rows of a table that may be large.
CREATE INDEX webhook_endpoints_failing ON webhook_endpoints (id) WHERE failing_since IS NOT NULL AND deleted_at IS NULL;
