-- The index of lists has the ids under another collation that sorts them alike, and so serves no look-up by id: the planner took
-- it for one where it believed a month to be empty, and read all of it for each row. The next migration adds the months.
CREATE INDEX executions_listed ON ONLY executions (organization_id, created_at DESC, id COLLATE "POSIX" DESC);
