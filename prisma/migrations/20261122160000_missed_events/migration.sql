-- When an endpoint was off because it failed, and not by its owner: what was fanned out then has no delivery to it, and
-- `recover` brings what of it is not older than a day.
ALTER TABLE webhook_endpoints ADD COLUMN missed tstzmultirange NOT NULL DEFAULT '{}';
UPDATE webhook_endpoints SET missed = tstzmultirange(tstzrange(coalesce(last_failure, now()), NULL))
WHERE NOT is_active AND failing_since IS NOT NULL AND deleted_at IS NULL;
