import { copyFile, link, mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { DiskSettings } from '../config.ts';
import {
  atStore,
  type ByteRange,
  type DownloadTerms,
  ObjectNotFoundError,
  type ObjectStore,
  type StoredObject,
  sealedKey,
  type UploadTerms,
} from '../store.ts';
import { type CheckSize, incomingFolder, objectPath, writeObject } from './objectFiles.ts';
import { signUrl } from './urls.ts';

const abandonedAfterMs = 86_400_000;

export function createDiskStore(settings: DiskSettings): ObjectStore {
  const root = settings.path;
  return {
    prepare: () => prepareFolder(root),
    presignUpload: async (terms) => presignUpload(settings, terms),
    presignDownload: async (terms) => presignDownload(settings, terms),
    put: async (key, body, options) => {
      const stream = Buffer.isBuffer(body) ? Readable.from([body]) : body;
      return { sizeBytes: await writeObject(root, key, stream, exactly(options.sizeBytes)) };
    },
    seal: (key, extension = null) => atStore(() => seal(root, key, extension)),
    stat: (key) => atStore(() => describe(root, key)),
    read: (key, range) => atStore(() => openObject(root, key, range)),
    readHead: (key, bytes) => atStore(() => readHead(root, key, bytes)),
    readRange: (key, range) => atStore(async () => buffer(await openObject(root, key, range))),
    remove: (key) => atStore(async () => rm(objectPath(root, key), { force: true })),
  };
}

function exactly(expected: number | undefined): CheckSize {
  return (sizeBytes, isComplete) => {
    if (expected === undefined || (isComplete ? sizeBytes === expected : sizeBytes <= expected)) return;
    throw new Error(`the body is not ${expected} bytes long`);
  };
}

function presignUpload(settings: DiskSettings, { key, sizeBytes, contentType, expiresInS }: UploadTerms) {
  objectPath(settings.path, key);
  return signUrl(settings, {
    method: 'PUT',
    key,
    expires: inSeconds(expiresInS),
    sizeBytes,
    contentType,
    filename: null,
  });
}

function presignDownload(
  settings: DiskSettings,
  { key, filename, contentType, expiresInS }: DownloadTerms,
): string {
  objectPath(settings.path, key);
  return signUrl(settings, {
    method: 'GET',
    key,
    expires: inSeconds(expiresInS),
    sizeBytes: null,
    contentType,
    filename,
  });
}

function inSeconds(delayS: number): number {
  return Math.floor(Date.now() / 1000) + delayS;
}

/** Also removes unfinished writes of killed processes. */
async function prepareFolder(root: string): Promise<void> {
  const folder = incomingFolder(root);
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const info = await stat(path).catch(() => null);
    if (info && Date.now() - info.mtimeMs > abandonedAfterMs) await rm(path, { force: true });
  }
}

/** By a link where possible: an upload to the old key replaces its name, not the file. */
async function seal(root: string, key: string, extension: string | null): Promise<string> {
  const sealed = sealedKey(key, extension);
  const paths = [objectPath(root, key), objectPath(root, sealed)] as const;
  try {
    await mkdir(dirname(paths[1]), { recursive: true });
    await link(...paths).catch(() => copyFile(...paths));
    return sealed;
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ENOENT' ? new ObjectNotFoundError(key) : error;
  }
}

async function describe(root: string, key: string): Promise<StoredObject | null> {
  const info = await stat(objectPath(root, key)).catch(ignoreMissing);
  return info ? { sizeBytes: info.size, contentType: null } : null;
}

async function openObject(root: string, key: string, range?: ByteRange): Promise<Readable> {
  const file = await open(objectPath(root, key)).catch(ignoreMissing);
  if (!file) throw new ObjectNotFoundError(key);
  return file.createReadStream(range ?? {});
}

async function readHead(root: string, key: string, bytes: number): Promise<Buffer> {
  const file = await open(objectPath(root, key)).catch(ignoreMissing);
  if (!file) throw new ObjectNotFoundError(key);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
