-- Its place was taken by `executions_charged`.
ALTER TABLE executions DROP CONSTRAINT executions_cost;
