import { createApiKey } from '@holdfast/db/apiKeys/create';
import { findApiKey } from '@holdfast/db/apiKeys/find';
import { topUp } from '@holdfast/db/balances/topUp';
import { type Database, openDatabase } from '@holdfast/db/client';
import { applyModels } from '@holdfast/db/models/apply';
import { createOrganization } from '@holdfast/db/organizations/create';
import { findOrganizationByName } from '@holdfast/db/organizations/findByName';
import { apiKeyPrefix, hashApiKey, newApiKey } from '@holdfast/domain/apiKey';
import { newId } from '@holdfast/domain/ids';
import { newWebhookSecret } from '@holdfast/domain/webhookSignature';
import { createSealedBox, encryptionKeys } from '@holdfast/kit/sealedBox';
import { isOffered, loadModels } from '@holdfast/providers/catalogue/loadModels';
import { connectionConfig } from '@holdfast/providers/connectionConfig';

const demoName = 'Demo';
const demoBalance = '100';

export type Seeded = {
  organizationId: string;
  apiKey: string;
};

/**
 * The catalogue of `modelsDir`, and a demo organization with a key and a balance of 100. Run again, it changes nothing:
 * `apiKey`, shown by an earlier run, stays the key as long as it works; a lost one is replaced by a new key.
 */
export async function seed(args: {
  databaseUrl: string;
  modelsDir: string;
  encryptionKeys: string;
  apiKey: string | null;
  /** Names the providers' connections: a model without one is known, but not offered. */
  environment: NodeJS.ProcessEnv;
}): Promise<Seeded> {
  const db = openDatabase({ url: args.databaseUrl, poolSize: 2, applicationName: 'seed' });
  try {
    const models = await loadModels(args.modelsDir);
    const connections = connectionConfig(args.environment);
    await applyModels(
      db,
      models.map((model) => ({ ...model, active: isOffered(model, connections) })),
    );
    const organizationId = await demoOrganization(db, args.encryptionKeys);
    return { organizationId, apiKey: await demoKey(db, organizationId, args.apiKey) };
  } finally {
    await db.close();
  }
}

async function demoOrganization(db: Database, keys: string): Promise<string> {
  const known = await findOrganizationByName(db, demoName);
  const sealedSecret = createSealedBox(encryptionKeys.parse(keys)).seal(newWebhookSecret());
  const { id } = known ?? (await createOrganization(db, { id: newId('org'), name: demoName, sealedSecret }));
  await topUp(db, {
    organizationId: id,
    amount: demoBalance,
    reason: 'demo',
    idempotencyKey: 'demo-balance',
  });
  return id;
}

async function demoKey(db: Database, organizationId: string, known: string | null): Promise<string> {
  const found = known === null ? null : await findApiKey(db, hashApiKey(known));
  if (known !== null && found?.organizationId === organizationId) return known;
  const key = newApiKey();
  const created = await createApiKey(db, {
    id: newId('key'),
    organizationId,
    name: 'demo',
    permissions: 'full',
    hash: hashApiKey(key),
    prefix: apiKeyPrefix(key),
  });
  if (created.kind !== 'created')
    throw new Error(`the demo organization can't have another key: ${created.kind}`);
  return key;
}
