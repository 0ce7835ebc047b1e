export type FileRow = {
  id: string;
  /** Where the store has the bytes. */
  key: string;
  origin: 'upload' | 'output';
  state: 'awaiting_upload' | 'ready';
  filename: string;
  /** Null until confirmed when the upload did not declare it; so is the size. */
  contentType: string | null;
  sizeBytes: number | null;
  width: number | null;
  height: number | null;
  durationMs: number | null;
  createdAt: Date;
  /** When the file itself is removed; null: never. */
  expiresAt: Date | null;
};

export const fileColumnsSql = `id, COALESCE(object_key, id) AS key, origin, state, filename, content_type AS "contentType",
  size_bytes AS "sizeBytes", width, height, duration_ms AS "durationMs", created_at AS "createdAt", expires_at AS "expiresAt"`;
