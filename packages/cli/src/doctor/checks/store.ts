import { randomUUID } from 'node:crypto';
import { fileStoreConfig, fileStoreProblems } from '@holdfast/files/config';
import { openStore } from '@holdfast/files/open';
import type { ObjectStore } from '@holdfast/files/store';
import { parseConfig } from '@holdfast/kit/config';
import { type Check, type Finding, fetchWithin, unreachable } from '../findings.ts';

const unknownSettings = "its settings are unknown here: set FILE_STORE and its settings to the gateway's";

export const storeCheck: Check = {
  check: 'store',
  fix: "is the store up, are its settings the gateway's, and is there space?",
  runbook: 'doctor#store',
  async run(context) {
    const environment = context.providerEnvironment();
    const isKnown = ['FILE_DISK_PATH', 'S3_ENDPOINT'].some((name) => environment[name]);
    if (!isKnown) return [{ state: 'skipped', check: 'store', found: unknownSettings }];
    const config = parseConfig(fileStoreConfig, environment, [fileStoreProblems]);
    return await probe(await openStore(config), config.FILE_STORE);
  },
};

/** Writes an object, reads it back in two ways, and removes it. */
async function probe(store: ObjectStore, kind: string): Promise<Finding[]> {
  const key = `doctor-${randomUUID()}`;
  const bytes = Buffer.from(`a probe of holdfast doctor: ${key}`);
  try {
    await store.put(key, bytes, { contentType: 'text/plain', sizeBytes: bytes.length });
    if (!(await store.readHead(key, bytes.length)).equals(bytes))
      throw new Error('the store returned different bytes than were written');
    return [
      { state: 'ok', check: 'store', found: `${kind}: writes, reads back and removes` },
      await signedFinding(store, key, bytes),
    ];
  } finally {
    await store.remove(key);
  }
}

async function signedFinding(store: ObjectStore, key: string, bytes: Buffer): Promise<Finding> {
  const check = 'signed URLs of the store';
  const terms = { key, filename: 'probe.txt', contentType: 'text/plain', expiresInS: 60 };
  const url = await store.presignDownload(terms);
  const { origin } = new URL(url);
  const fix = `clients fetch files from ${origin}: PUBLIC_URL (disk) or S3_PUBLIC_ENDPOINT must lead there`;
  try {
    const response = await fetchWithin(url);
    const isSame = response.ok && Buffer.from(await response.arrayBuffer()).equals(bytes);
    if (isSame) return { state: 'ok', check, found: `work at ${origin}` };
    return { state: 'error', check, found: `${origin} returned ${response.status}`, fix };
  } catch (error) {
    return unreachable(check, origin, error, fix);
  }
}
