import { openDatabase } from '@holdfast/db/client';
import { migrate } from '@holdfast/db/migrate/migrate';
import { makePartitions } from '@holdfast/db/partitions';
import { encryptionKeys } from '@holdfast/kit/sealedBox';
import { demoOrganization, keptDemoKey } from '@holdfast/setup/demo';
import { applyCatalogue, conflictText } from '@holdfast/setup/models';
import { applyOverage } from '@holdfast/setup/overage';
import type { Seed } from './launch/preparation.ts';

/** Also creates the partitions of two months, because the machine may have been off for long. */
export async function prepareSchema(databaseUrl: string): Promise<string[]> {
  const applied = await migrate(databaseUrl);
  const db = openDatabase({ url: databaseUrl, poolSize: 1, applicationName: 'partitions' });
  try {
    await makePartitions(db.pool);
  } finally {
    await db.close();
  }
  return applied;
}

/** Idempotent: `apiKey` stays the key while it works; a lost key is replaced. The demo balance is 100. */
export async function seed(args: Parameters<Seed>[0]): ReturnType<Seed> {
  const db = openDatabase({ url: args.databaseUrl, poolSize: 2, applicationName: 'seed' });
  try {
    await applyOverage(db, args.environment);
    const conflict = conflictText(await applyCatalogue(db, args.modelsDir, args.environment));
    const organizationId = await demoOrganization(db, encryptionKeys.parse(args.encryptionKeys));
    return { organizationId, apiKey: await keptDemoKey(db, organizationId, args.apiKey), conflict };
  } finally {
    await db.close();
  }
}
