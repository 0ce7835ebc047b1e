-- How often an attempt was taken over or taken up again: what its earlier dispatcher writes late changes nothing.
ALTER TABLE attempts ADD COLUMN claims INTEGER NOT NULL DEFAULT 0;
