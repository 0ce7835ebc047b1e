-- What a run was charged for beside tokens (`Billed` of the domain). It appears in the usage of results and events as it is stored.
ALTER TABLE executions ADD COLUMN billed JSON;
