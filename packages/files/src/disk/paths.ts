import { createHash, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { assertKey } from '../store.ts';

/** Spread over 65 536 folders; the key stays readable in the name. */
export function objectPath(root: string, key: string): string {
  assertKey(key);
  const hash = createHash('sha256').update(key).digest('hex');
  return join(root, hash.slice(0, 2), hash.slice(2, 4), encodeURIComponent(key));
}

export function incomingFolder(root: string): string {
  return join(root, '.incoming');
}

/** On the same file system as the objects, so that the rename into place is atomic. */
export function incomingPath(root: string): string {
  return join(incomingFolder(root), randomUUID());
}
