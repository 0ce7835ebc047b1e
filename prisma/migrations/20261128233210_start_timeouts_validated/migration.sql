ALTER TABLE executions VALIDATE CONSTRAINT executions_seconds;
