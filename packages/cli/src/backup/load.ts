import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createGunzip } from 'node:zlib';
import { backupTables } from '@holdfast/db/backup/tables';
import { fillDatabase, type Target } from '@holdfast/db/backup/target';
import type { ObjectStore } from '@holdfast/files/store';
import type { SealedBox } from '@holdfast/kit/sealedBox';
import { RefusedError } from '../errors.ts';
import { copying, withEach } from './concurrency.ts';
import type { FileEntry, Manifest } from './manifest.ts';
import { fileEntries } from './verify.ts';

type Report = (line: string) => void;

/** Puts every object of a backup back under its key. Idempotent. */
async function loadFiles(folder: string, store: ObjectStore, report: Report): Promise<void> {
  await store.prepare();
  let loaded = 0;
  await withEach(fileEntries(folder), async (entry) => {
    await putObject(folder, store, entry);
    if (++loaded % 1000 === 0) report(`files: ${loaded}`);
  });
  report(`files: ${loaded}`);
}

async function putObject(
  folder: string,
  store: ObjectStore,
  { key, content_type, part }: FileEntry,
): Promise<void> {
  if (!part) return;
  const body = createReadStream(join(folder, part.path));
  await store.put(key, body, { contentType: content_type, sizeBytes: part.bytes });
}

type Into = {
  databaseUrl: string;
  /** Null: secrets are not opened. */
  box: SealedBox | null;
  /** Pending deliveries that are older expire. */
  webhooksWithinMs: number;
  /** Null: the backup has no files. */
  store: ObjectStore | null;
  report: Report;
};

/** One transaction; files precede its commit. Returns how many deliveries expired. @throws RefusedError, BackupRefusedError */
export async function loadDatabase(folder: string, manifest: Manifest, into: Into): Promise<number> {
  return await fillDatabase(into.databaseUrl, manifest, async (target) => {
    const lacking = backupTables.filter((name) => manifest.tables.every(({ table }) => table !== name));
    if (lacking.length > 0) throw new RefusedError(`the backup has no ${lacking.join(', ')}`);
    for (const table of manifest.tables) await loadTable(folder, table, target, into.report);
    if (into.box) await refuseUnopened(target, into.box);
    if (into.store) await copying(loadFiles(folder, into.store, into.report));
    if (into.store) await expireMissing(folder, target);
    return await target.expireDeliveries(into.webhooksWithinMs);
  });
}

async function loadTable(
  folder: string,
  { table, columns, rows, part }: Manifest['tables'][number],
  target: Target,
  report: Report,
): Promise<void> {
  const packed = createReadStream(join(folder, part.path));
  const unpacked = createGunzip();
  packed.on('error', (error) => unpacked.destroy(error));
  const loaded = await target.load(table, columns, packed.pipe(unpacked));
  if (loaded !== rows) throw new RefusedError(`${table}: ${loaded} rows were loaded instead of ${rows}`);
  report(`${table}: ${loaded} rows`);
}

async function refuseUnopened(target: Target, box: SealedBox): Promise<void> {
  for await (const texts of target.sealedTexts()) {
    const unopened = texts.find(({ sealed }) => !opens(box, sealed));
    if (unopened)
      throw new RefusedError(
        `${unopened.column} of ${unopened.id} can't be opened: the key of that id in ENCRYPTION_KEYS is not the one that sealed it`,
      );
  }
}

function opens(box: SealedBox, sealed: string): boolean {
  try {
    box.open(sealed);
    return true;
  } catch {
    return false;
  }
}

async function expireMissing(folder: string, target: Target): Promise<void> {
  const ids: string[] = [];
  for await (const { file_id, part } of fileEntries(folder)) if (!part) ids.push(file_id);
  await target.expireFiles(ids);
}
