ALTER TABLE executions VALIDATE CONSTRAINT executions_on_cancel, VALIDATE CONSTRAINT executions_charged;
