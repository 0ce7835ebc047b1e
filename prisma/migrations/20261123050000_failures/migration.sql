-- Failed and expired executions of all organizations, by the time in their ids: they are few, so only they pay for it. The
-- collation, which sorts ids alike, keeps it out of look-ups by id. The next migration adds the months.
CREATE INDEX executions_failures ON ONLY executions (id COLLATE "POSIX") WHERE error_code IS NOT NULL;
