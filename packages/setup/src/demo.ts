import { createHash } from 'node:crypto';
import { createApiKey, findApiKey, hasApiKey } from '@holdfast/db/apiKeys';
import { topUp } from '@holdfast/db/balances';
import type { Database } from '@holdfast/db/client';
import { createOrganization, findOrganizationByName } from '@holdfast/db/organizations';
import { apiKeyOf, apiKeyPrefix, hashApiKey, newApiKey } from '@holdfast/domain/apiKey';
import { newId } from '@holdfast/domain/ids';
import { newWebhookSecret } from '@holdfast/domain/webhookSignature';
import { createSealedBox, type EncryptionKeys } from '@holdfast/kit/sealedBox';

const demoName = 'Demo';
const demoBalance = '100';

/** Its balance of 100 is given once. */
export async function demoOrganization(db: Database, keys: EncryptionKeys): Promise<string> {
  const existing = await findOrganizationByName(db, demoName);
  const sealedSecret = createSealedBox(keys).seal(newWebhookSecret());
  const { id } =
    existing ?? (await createOrganization(db, { id: newId('org'), name: demoName, sealedSecret }));
  await topUp(db, {
    organizationId: id,
    amount: demoBalance,
    reason: 'demo',
    idempotencyKey: 'demo-balance',
  });
  return id;
}

/** The same key for the same `secret`; null once it was revoked or rotated, because its row stays. */
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
  // A rotated value works for a grace period, but is no longer returned.
  return found?.validForMs === null ? key : null;
}

/** A UUIDv7 of the year 1970, so that it is the oldest key. */
function idOf(secret: string): string {
  const hash = createHash('sha256').update(`demo key ${secret}`).digest('hex');
  return `key_00000000-0000-7${hash.slice(0, 3)}-8${hash.slice(3, 6)}-${hash.slice(6, 18)}`;
}

/** An earlier run's key (`kept`) while it works, else a new one. */
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

/** @throws when the organization has the maximum number of keys */
async function addDemoKey(
  db: Database,
  { id, organizationId, key }: { id: string; organizationId: string; key: string },
): Promise<void> {
  const created = await createApiKey(db, {
    id,
    organizationId,
    name: 'demo',
    permissions: 'full',
    hash: hashApiKey(key),
    prefix: apiKeyPrefix(key),
  });
  if (created.kind !== 'created')
    throw new Error(`the demo organization can't have another key: ${created.kind}`);
}
