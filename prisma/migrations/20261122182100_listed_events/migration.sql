-- The index of lists has the ids under another collation that sorts them alike, and so serves no look-up by id: the planner took
-- it for one where it believed a month to be empty, and read all of it for each row. The next migration adds the months.
CREATE INDEX events_listed ON ONLY events (organization_id, created_at, id COLLATE "POSIX");
