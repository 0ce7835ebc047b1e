import { mkdir, readdir } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { BackupRefusedError } from '@holdfast/db/backup/connection';
import { type NamedObject, type Snapshot, withSnapshot } from '@holdfast/db/backup/snapshot';
import { backupTables } from '@holdfast/db/backup/tables';
import { fileStoreConfig, fileStoreProblems } from '@holdfast/files/config';
import { openStore } from '@holdfast/files/open';
import { ObjectNotFoundError, type ObjectStore } from '@holdfast/files/store';
import { parseConfig } from '@holdfast/kit/config';
import type { Context } from '../command.ts';
import { RefusedError } from '../errors.ts';
import { readOperands } from '../flags.ts';
import { copying, withEach } from './concurrency.ts';
import { type FileEntry, type Manifest, paths, writePart } from './manifest.ts';

/** 0: written and complete; 1: refused. An unfinished backup has no manifest, and restore refuses it. */
export async function backup(args: string[], context: Context): Promise<number> {
  const { operands, values } = readOperands('backup', args, ['folder'], {
    'without-files': { type: 'boolean', default: false },
  });
  const databaseUrl = context.databaseUrl();
  const store = values['without-files'] ? null : await storeOf(context);
  const source = { databaseUrl, store, report: context.report };
  const manifest = await refusable(() => writeBackup(operands[0], source));
  for (const line of summaryLines(operands[0], manifest)) context.print(line);
  return 0;
}

/** A backup signs no URLs: the settings for that may be missing. */
const unsigned = { FILE_URL_SECRET: 'no URL is signed with this', PUBLIC_URL: 'http://localhost' };

/** The services' store: of the environment, else of the `npm start` in this folder. @throws for missing settings */
export function storeOf(context: Context): Promise<ObjectStore> {
  const environment = { ...unsigned, ...context.providerEnvironment() };
  return openStore(parseConfig(fileStoreConfig, environment, [fileStoreProblems]));
}

export async function refusable<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof BackupRefusedError ? new RefusedError(error.message) : error;
  }
}

function summaryLines(folder: string, { taken_at, tables, files, sealed_with }: Manifest): string[] {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const missing = `${files?.missing} files are not in the store (removed meanwhile, or lost): ${folder}/files.jsonl lists them.`;
  return [
    `${folder}: ${rows} rows as of ${taken_at}, ${files ? `${files.stored} files of ${files.bytes} bytes` : 'without files'}.`,
    ...(files && files.missing > 0 ? [missing] : []),
    `NOT INCLUDED: ENCRYPTION_KEYS (${sealed_with.join(', ') || 'no secret is sealed yet'}). Keep them elsewhere; without them no webhook can be signed.`,
    "INCLUDED: your customers' inputs, outputs and files. Encrypt the backup before it leaves this machine.",
  ];
}

type Source = {
  databaseUrl: string;
  /** Null: the backup has no files. */
  store: ObjectStore | null;
  report: (line: string) => void;
};

/** Writes every table as of one moment, then the files that its rows name, then the manifest. */
async function writeBackup(folder: string, source: Source): Promise<Manifest> {
  await makeFolder(folder);
  const { objects, ...database } = await withSnapshot(source.databaseUrl, async (snapshot) => ({
    taken_at: snapshot.takenAt.toISOString(),
    migrations: snapshot.migrations,
    partitions: snapshot.partitions,
    sealed_with: snapshot.keyIds,
    tables: await writeTables(folder, snapshot, source.report),
    objects: source.store ? await snapshot.namedObjects() : [],
  }));
  const files = source.store ? await copying(writeFiles(folder, objects, source.store, source.report)) : null;
  const manifest: Manifest = { format: 1, ...database, files };
  await writeManifest(folder, manifest);
  return manifest;
}

async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((await readdir(folder)).length > 0)
    throw new RefusedError(`${folder} is not empty: a backup needs a folder of its own`);
}

async function writeTables(
  folder: string,
  snapshot: Snapshot,
  report: Source['report'],
): Promise<Manifest['tables']> {
  const tables: Manifest['tables'] = [];
  for (const table of backupTables) {
    const columns = await snapshot.columnsOf(table);
    const { rows, count } = snapshot.rowsOf(table, columns);
    const part = await writePart(folder, paths.table(table), rows, { isZipped: true });
    tables.push({ table, columns, rows: count(), part });
    report(`${table}: ${count()} rows`);
  }
  return tables;
}

async function writeFiles(
  folder: string,
  objects: NamedObject[],
  store: ObjectStore,
  report: Source['report'],
) {
  const entries: FileEntry[] = [];
  const sum = { stored: 0, bytes: 0, missing: 0 };
  await withEach(objects, async (object) => {
    const part = await copyObject(folder, object, store);
    // A file whose upload never finished is not missing.
    if (part === null && !object.isReady) return;
    entries.push({ file_id: object.fileId, key: object.key, content_type: object.contentType, part });
    if (part) sum.bytes += part.bytes;
    sum[part ? 'stored' : 'missing'] += 1;
    if (entries.length % 1000 === 0) report(`files: ${entries.length} of ${objects.length}`);
  });
  report(`files: ${sum.stored}, ${sum.bytes} bytes`);
  const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`);
  return {
    ...sum,
    list: await writePart(folder, paths.fileList, Readable.from(lines, { objectMode: false })),
  };
}

/** Null when the store has no such object. */
async function copyObject(folder: string, { fileId, key }: NamedObject, store: ObjectStore) {
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
