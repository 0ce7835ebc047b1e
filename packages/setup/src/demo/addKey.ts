import { createApiKey } from '@holdfast/db/apiKeys';
import type { Database } from '@holdfast/db/client';
import { apiKeyPrefix, hashApiKey } from '@holdfast/domain/apiKey';

/** Gives the demo organization a key under an id. @throws when it has as many as it may */
export async function addDemoKey(
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
