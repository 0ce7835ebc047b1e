import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { type Readable, Transform, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { z } from 'zod';

const part = z.object({ path: z.string(), bytes: z.number(), sha256: z.string() });
export type Part = z.infer<typeof part>;

/** The contents of a backup. Written last: a backup without a manifest is incomplete. */
export const manifest = z.object({
  format: z.literal(1),
  /** The moment of the database's rows, by its clock; files are copied shortly after. */
  taken_at: z.iso.datetime(),
  migrations: z.array(z.object({ name: z.string(), checksum: z.string() })),
  partitions: z.array(z.string()),
  /** Ids of the keys that open its secrets. */
  sealed_with: z.array(z.string()),
  tables: z.array(z.object({ table: z.string(), columns: z.array(z.string()), rows: z.number(), part })),
  /** Null: without files. */
  files: z.object({ stored: z.number(), bytes: z.number(), missing: z.number(), list: part }).nullable(),
});
export type Manifest = z.infer<typeof manifest>;

/** A line of the list of files; `part` is null for a file that was not in the store. */
export const fileEntry = z.object({
  file_id: z.string(),
  key: z.string(),
  content_type: z.string(),
  part: part.nullable(),
});
export type FileEntry = z.infer<typeof fileEntry>;

export const paths = {
  manifest: 'manifest.json',
  manifestSum: 'manifest.json.sha256',
  table: (table: string) => `database/${table}.copy.gz`,
  fileList: 'files.jsonl',
  /** Spread over 256 folders. */
  file: (fileId: string, key: string) => `files/${fileId.slice(-2)}/${encodeURIComponent(key)}`,
} as const;

/** Writes a new part, readable by its owner only. */
export async function writePart(
  folder: string,
  path: string,
  body: Readable,
  { isZipped = false }: { isZipped?: boolean } = {},
): Promise<Part> {
  const target = join(folder, path);
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  const { counted, digest } = digesting();
  const file = createWriteStream(target, { flags: 'wx', mode: 0o600, flush: true });
  if (isZipped) await pipeline(body, createGzip({ level: 4 }), counted, file);
  else await pipeline(body, counted, file);
  return { path, ...digest() };
}

/** What is wrong with a part, as the end of a sentence that begins with its path; null when it is intact. */
export async function faultOf(folder: string, part: Part): Promise<string | null> {
  if (isOutside(part.path)) return 'is outside of the backup';
  const { counted, digest } = digesting();
  try {
    await pipeline(
      createReadStream(join(folder, part.path)),
      counted,
      new Writable({ write: (_c, _e, done) => done() }),
    );
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'is missing';
    throw error;
  }
  const found = digest();
  if (found.bytes !== part.bytes) return `has ${found.bytes} bytes instead of ${part.bytes}`;
  return found.sha256 === part.sha256 ? null : 'has changed since it was written (its SHA-256 differs)';
}

const isOutside = (path: string) => normalize(path) !== path || path.startsWith('..') || path.startsWith('/');

function digesting() {
  const hash = createHash('sha256');
  let bytes = 0;
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  return { counted, digest: () => ({ bytes, sha256: hash.digest('hex') }) };
}
