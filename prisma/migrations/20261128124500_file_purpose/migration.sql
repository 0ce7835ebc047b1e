-- What a client of OpenAI's API uploaded a file for: those alone are in its lists.
ALTER TABLE files ADD COLUMN purpose text;
