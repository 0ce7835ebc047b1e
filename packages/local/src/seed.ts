import { openDatabase } from '@holdfast/db/client';
import { encryptionKeys } from '@holdfast/kit/sealedBox';
import { demoOrganization, keptDemoKey } from '@holdfast/setup/demo';
import { applyCatalogue } from '@holdfast/setup/models';
import { applyOverage } from '@holdfast/setup/overage';
import type { Demo, Seed } from './launch/prepareDatabase.ts';

/** Idempotent: `apiKey` stays the key while it works; a lost key is replaced. The demo balance is 100. */
export async function seed(args: Parameters<Seed>[0]): Promise<Demo> {
  const db = openDatabase({ url: args.databaseUrl, poolSize: 2, applicationName: 'seed' });
  try {
    await applyOverage(db, args.environment);
    await applyCatalogue(db, args.modelsDir, args.environment);
    const organizationId = await demoOrganization(db, encryptionKeys.parse(args.encryptionKeys));
    return { organizationId, apiKey: await keptDemoKey(db, organizationId, args.apiKey) };
  } finally {
    await db.close();
  }
}
