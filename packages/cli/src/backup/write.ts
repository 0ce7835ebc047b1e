import { mkdir, readdir } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { type NamedObject, type Snapshot, withSnapshot } from '@holdfast/db/backup/snapshot';
import { backupTables } from '@holdfast/db/backup/tables';
import { ObjectNotFoundError, type ObjectStore } from '@holdfast/files/store';
import { RefusedError } from '../admin/refusedError.ts';
import { copying, withEach } from './crew.ts';
import { type FileEntry, type Manifest, paths } from './manifest.ts';
import { writePart } from './part.ts';

type Source = {
  databaseUrl: string;
  /** Null: the bytes of files are left out. */
  store: ObjectStore | null;
  tell: (line: string) => void;
};

/**
 * Writes a backup into a folder that is not there yet, or empty: every table as of one moment, then the bytes of the files
 * that its rows name, then the manifest. @throws RefusedError for another folder
 */
export async function writeBackup(folder: string, source: Source): Promise<Manifest> {
  await makeFolder(folder);
  const { objects, ...database } = await withSnapshot(source.databaseUrl, async (snapshot) => ({
    taken_at: snapshot.takenAt.toISOString(),
    migrations: snapshot.migrations,
    partitions: snapshot.partitions,
    sealed_with: snapshot.keyIds,
    tables: await writeTables(folder, snapshot, source.tell),
    objects: source.store ? await snapshot.namedObjects() : [],
  }));
  const files = source.store ? await copying(writeFiles(folder, objects, source.store, source.tell)) : null;
  const manifest: Manifest = { format: 1, ...database, files };
  await writeManifest(folder, manifest);
  return manifest;
}

async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((await readdir(folder)).length > 0)
    throw new RefusedError(`${folder} is not empty: a backup goes into a folder of its own`);
}

async function writeTables(
  folder: string,
  snapshot: Snapshot,
  tell: Source['tell'],
): Promise<Manifest['tables']> {
  const tables: Manifest['tables'] = [];
  for (const table of backupTables) {
    const columns = await snapshot.columnsOf(table);
    const { rows, count } = snapshot.rowsOf(table, columns);
    const part = await writePart(folder, paths.table(table), rows, { isZipped: true });
    tables.push({ table, columns, rows: count(), part });
    tell(`${table}: ${count()} rows`);
  }
  return tables;
}

async function writeFiles(folder: string, objects: NamedObject[], store: ObjectStore, tell: Source['tell']) {
  const entries: FileEntry[] = [];
  const sum = { stored: 0, bytes: 0, missing: 0 };
  await withEach(objects, async (object) => {
    const part = await copyOut(folder, object, store);
    // An upload that never came is none that is missing.
    if (part === null && !object.isReady) return;
    entries.push({ file_id: object.fileId, key: object.key, content_type: object.contentType, part });
    if (part) sum.bytes += part.bytes;
    sum[part ? 'stored' : 'missing'] += 1;
    if (entries.length % 1000 === 0) tell(`files: ${entries.length} of ${objects.length}`);
  });
  tell(`files: ${sum.stored}, ${sum.bytes} bytes`);
  const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`);
  return {
    ...sum,
    list: await writePart(folder, paths.fileList, Readable.from(lines, { objectMode: false })),
  };
}

/** Null when the bytes are not there: never came, were removed since the snapshot, or got lost. */
async function copyOut(folder: string, { fileId, key }: NamedObject, store: ObjectStore) {
  try {
    return await writePart(folder, paths.file(fileId, key), await store.read(key));
  } catch (error) {
    if (error instanceof ObjectNotFoundError) return null;
    throw error;
  }
}

async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const text = `${JSON.stringify(manifest, null, 2)}\n`;
  const { sha256 } = await writePart(folder, paths.manifest, Readable.from([Buffer.from(text)]));
  const sum = Buffer.from(`${sha256}  ${paths.manifest}\n`);
  await writePart(folder, paths.manifestSum, Readable.from([sum]));
}
