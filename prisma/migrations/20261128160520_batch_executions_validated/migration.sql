ALTER TABLE executions VALIDATE CONSTRAINT executions_batch, VALIDATE CONSTRAINT executions_events,
  VALIDATE CONSTRAINT executions_ranks;
