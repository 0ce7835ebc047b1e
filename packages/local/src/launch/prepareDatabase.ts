import { join } from 'node:path';
import { writePrivateJson } from './privateFile.ts';
import type { Secrets } from './secrets.ts';

/** Applies what is missing and answers the names of the migrations it applied. */
export type Migrate = (databaseUrl: string) => Promise<string[]>;

export type Seed = (options: {
  databaseUrl: string;
  modelsDir: string;
  encryptionKeys: string;
}) => Promise<{ organizationId: string; apiKey: string | null }>;

/** The organization to try things with; its key is null when nobody kept it. */
export type Demo = { organizationId: string; apiKey: string | null };

type Options = {
  root: string;
  migrate: Migrate;
  seed: Seed;
  say: (line: string) => void;
  databaseUrl: string;
  encryptionKeys: string;
  secretsPath: string;
  kept: Secrets;
};

/** Migrates and seeds. A key that was made now is kept with the secrets, for the next start to show. */
export async function prepareDatabase(options: Options): Promise<Demo> {
  const { root, migrate, seed, say, databaseUrl, encryptionKeys, secretsPath, kept } = options;
  const applied = await migrate(databaseUrl);
  say(applied.length === 0 ? 'the schema is up to date' : `migrations applied: ${applied.length}`);
  const demo = await seed({ databaseUrl, modelsDir: join(root, 'models'), encryptionKeys });
  if (demo.apiKey !== null) writePrivateJson(secretsPath, { ...kept, apiKey: demo.apiKey });
  say('models and the demo organization are there');
  return { organizationId: demo.organizationId, apiKey: demo.apiKey ?? kept.apiKey ?? null };
}
