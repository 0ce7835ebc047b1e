-- The new index takes the name of the old one. Lists of the version before sort what is equal in time.
DROP INDEX events_organization_id_created_at_id_idx;
ALTER INDEX events_listed RENAME TO events_organization_id_created_at_id_idx;
