-- The new index takes the name of the old one. Lists of the version before sort what is equal in time.
DROP INDEX executions_organization_id_created_at_id_idx;
ALTER INDEX executions_listed RENAME TO executions_organization_id_created_at_id_idx;
