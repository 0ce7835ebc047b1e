-- Its place was taken by `executions_ranks`.
ALTER TABLE executions DROP CONSTRAINT executions_priority;
