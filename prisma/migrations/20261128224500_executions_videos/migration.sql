-- What OpenAI's clients list as videos, in either order: an organization may have a million other executions.
CREATE INDEX executions_videos ON ONLY executions (organization_id, id COLLATE "POSIX")
  WHERE webhook_dialect ->> 'operation' = 'videos' AND erased_at IS NULL;
