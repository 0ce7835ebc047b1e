-- A new output expires in a day until it is kept, so half stored ones are found as expired files.
UPDATE files SET expires_at = now() WHERE state = 'awaiting_upload' AND origin = 'output' AND expires_at IS NULL;
DROP INDEX files_half_stored;
