import { z } from 'zod';

/** A file of a backup: its path below the folder, and what it must be. */
const part = z.object({ path: z.string(), bytes: z.number(), sha256: z.string() });
export type Part = z.infer<typeof part>;

/** What a backup is made of. Written last: without one it is not complete. */
export const manifest = z.object({
  format: z.literal(1),
  /** What the database holds is as it was then, by its clock; bytes of files are those of shortly after. */
  taken_at: z.iso.datetime(),
  migrations: z.array(z.object({ name: z.string(), checksum: z.string() })),
  partitions: z.array(z.string()),
  /** Ids of the keys without which the secrets in it stay shut. */
  sealed_with: z.array(z.string()),
  tables: z.array(z.object({ table: z.string(), columns: z.array(z.string()), rows: z.number(), part })),
  /** Null: the bytes of files were left out. */
  files: z.object({ stored: z.number(), bytes: z.number(), missing: z.number(), list: part }).nullable(),
});
export type Manifest = z.infer<typeof manifest>;

/** A line of the list of files; `part` null: its bytes were not in the store. */
export const fileEntry = z.object({
  file_id: z.string(),
  key: z.string(),
  content_type: z.string(),
  part: part.nullable(),
});
export type FileEntry = z.infer<typeof fileEntry>;

export const paths = {
  manifest: 'manifest.json',
  /** As sha256sum writes it, and checks it. */
  manifestSum: 'manifest.json.sha256',
  table: (table: string) => `database/${table}.copy.gz`,
  fileList: 'files.jsonl',
  /** Spread over 256 folders. */
  file: (fileId: string, key: string) => `files/${fileId.slice(-2)}/${encodeURIComponent(key)}`,
} as const;
