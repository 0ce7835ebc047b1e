import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { RefusedError } from '../errors.ts';
import { withEach } from './concurrency.ts';
import { type FileEntry, faultOf, fileEntry, type Manifest, manifest, type Part, paths } from './manifest.ts';

const maxNamed = 10;

/** Compares every byte of a backup with its manifest, and returns that. @throws RefusedError that names damaged and missing parts */
export async function verifyBackup(folder: string): Promise<Manifest> {
  const read = await readManifest(folder);
  const parts = read.tables.map(({ part }) => part);
  await refuseFaults(folder, read.files ? [...parts, read.files.list] : parts);
  let stored = 0;
  if (read.files)
    await refuseFaults(
      folder,
      storedParts(folder, () => stored++),
    );
  if (read.files && stored !== read.files.stored)
    throw new RefusedError(`${paths.fileList} is not the list of the manifest`);
  return read;
}

/** The lines of the list of files. */
export async function* fileEntries(folder: string): AsyncGenerator<FileEntry> {
  const lines = createInterface({
    input: createReadStream(join(folder, paths.fileList)),
    crlfDelay: Infinity,
  });
  for await (const line of lines) yield fileEntry.parse(JSON.parse(line));
}

async function* storedParts(folder: string, counted: () => void): AsyncGenerator<Part> {
  for await (const { part } of fileEntries(folder)) {
    if (part === null) continue;
    counted();
    yield part;
  }
}

async function readManifest(folder: string): Promise<Manifest> {
  const [text, sum] = await Promise.all(
    [paths.manifest, paths.manifestSum].map((path) => textOf(folder, path)),
  );
  const fault = await faultOf(folder, {
    path: paths.manifest,
    bytes: Buffer.byteLength(text ?? ''),
    sha256: (sum ?? '').split(' ', 1)[0] ?? '',
  });
  if (fault) throw new RefusedError(`the backup is damaged: ${paths.manifest} ${fault}`);
  const document = JSON.parse(text ?? '') as { format?: unknown };
  if (document.format !== 1)
    throw new RefusedError(
      `the backup has the format ${String(document.format)}: a newer version of Holdfast made it`,
    );
  return manifest.parse(document);
}

async function textOf(folder: string, path: string): Promise<string> {
  try {
    return await readFile(join(folder, path), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new RefusedError(
      `${folder} is not a complete backup: ${path} is missing, and it is written last. Was the backup interrupted? Use another one.`,
    );
  }
}

async function refuseFaults(folder: string, parts: Iterable<Part> | AsyncIterable<Part>): Promise<void> {
  const faults: string[] = [];
  await withEach(parts, async (part) => {
    const fault = await faultOf(folder, part);
    if (fault) faults.push(`${part.path} ${fault}`);
  });
  if (faults.length === 0) return;
  const more = faults.length > maxNamed ? `, and ${faults.length - maxNamed} more` : '';
  throw new RefusedError(
    `the backup is damaged: ${faults.slice(0, maxNamed).join('; ')}${more}. Nothing was changed; use another copy of it, ` +
      'or an earlier backup.',
  );
}
