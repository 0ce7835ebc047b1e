-- What OpenAI's clients list as files, in either order: an organization may have a million outputs.
CREATE INDEX files_purposes ON files (organization_id, id) WHERE purpose IS NOT NULL AND state = 'ready';
