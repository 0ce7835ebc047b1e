import { createHash } from 'node:crypto';
import { findApiKey, hasApiKey } from '@holdfast/db/apiKeys';
import type { Database } from '@holdfast/db/client';
import { apiKeyOf, hashApiKey } from '@holdfast/domain/apiKey';
import { addDemoKey } from './addKey.ts';

/**
 * The key made of `secret`, the same at each run; null when it was revoked or rotated, which stays so: the key's id is
 * of the secret too, and its row outlives the value.
 */
export async function fixedDemoKey(
  db: Database,
  organizationId: string,
  secret: string,
): Promise<string | null> {
  const id = idOf(secret);
  const key = apiKeyOf(secret);
  if (!(await hasApiKey(db, id))) {
    await addDemoKey(db, { id, organizationId, key });
    return key;
  }
  const found = await findApiKey(db, hashApiKey(key));
  // A value that was rotated lives on for its grace period: nothing to hand out any more.
  return found?.validForMs === null ? key : null;
}

/** As a UUIDv7 of the year 1970, so that it counts as the oldest key. */
function idOf(secret: string): string {
  const hash = createHash('sha256').update(`demo key ${secret}`).digest('hex');
  return `key_00000000-0000-7${hash.slice(0, 3)}-8${hash.slice(3, 6)}-${hash.slice(6, 18)}`;
}
