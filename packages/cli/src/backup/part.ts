import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { type Readable, Transform, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Part } from './manifest.ts';

/** Writes a part that is not there yet, for its owner's eyes alone. */
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

/** What is wrong with a part, to follow its name; null when it is as it was written. */
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
  return found.sha256 === part.sha256 ? null : 'has other bytes than were written (its SHA-256 differs)';
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
