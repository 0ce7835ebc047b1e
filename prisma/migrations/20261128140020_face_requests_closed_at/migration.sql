-- When the connection of a delivered response closed, or until when it may close: in a client that keeps its connections open, one
-- that closes at once has lost the response behind a proxy, and a request that comes now repeats it (ADR 62).
ALTER TABLE face_requests ADD COLUMN closed_at timestamptz(3);
