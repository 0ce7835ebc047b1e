import { findApiKey } from '@holdfast/db/apiKeys';
import type { Database } from '@holdfast/db/client';
import { hashApiKey, newApiKey } from '@holdfast/domain/apiKey';
import { newId } from '@holdfast/domain/ids';
import { addDemoKey } from './addKey.ts';

/** The key that the caller kept of an earlier run as long as it works; a lost one is replaced by a new key. */
export async function keptDemoKey(
  db: Database,
  organizationId: string,
  kept: string | null,
): Promise<string> {
  const found = kept === null ? null : await findApiKey(db, hashApiKey(kept));
  if (kept !== null && found?.organizationId === organizationId) return kept;
  const key = newApiKey();
  await addDemoKey(db, { id: newId('key'), organizationId, key });
  return key;
}
