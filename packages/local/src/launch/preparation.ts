import { join } from 'node:path';
import type { Role } from '@holdfast/db/roles/rights';
import { fileStoreConfig } from '@holdfast/files/config';
import { parseConfig } from '@holdfast/kit/config';
import { prepareStore } from '@holdfast/setup/store';
import { writePrivateJson } from './home.ts';
import { LaunchError } from './launchError.ts';
import type { Secrets } from './secrets.ts';

/** Returns the names of the applied migrations. */
export type Migrate = (databaseUrl: string) => Promise<string[]>;

export type SetRoles = (databaseUrl: string, passwords: Record<Role, string>) => Promise<void>;

/** `apiKey` is the key of an earlier start, returned again while it works. */
export type Seed = (options: {
  databaseUrl: string;
  modelsDir: string;
  encryptionKeys: string;
  apiKey: string | null;
  /** The services' settings, which name the providers of offered models. */
  environment: NodeJS.ProcessEnv;
}) => Promise<Demo & { conflict?: string | null }>;

export type Demo = { organizationId: string; apiKey: string };

type Options = {
  root: string;
  migrate: Migrate;
  setRoles: SetRoles;
  /** Null: the operator owns the database, and so the roles. */
  passwords: Record<Role, string> | null;
  seed: Seed;
  say: (line: string) => void;
  databaseUrl: string;
  encryptionKeys: string;
  environment: NodeJS.ProcessEnv;
  secretsPath: string;
  kept: Secrets;
};

/** Migrates, sets the roles and seeds; stores a new API key for the next start. @throws LaunchError */
export async function prepareDatabase(options: Options): Promise<Demo> {
  try {
    return await migrateAndSeed(options);
  } catch (error) {
    throw new LaunchError(
      `The database can't be prepared: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

async function migrateAndSeed(options: Options): Promise<Demo> {
  const { root, migrate, setRoles, passwords, seed, say, databaseUrl } = options;
  const { encryptionKeys, environment, secretsPath, kept } = options;
  const applied = await migrate(databaseUrl);
  say(applied.length === 0 ? 'the schema is up to date' : `migrations applied: ${applied.length}`);
  if (passwords) await setRoles(databaseUrl, passwords);
  const apiKey = kept.apiKey ?? null;
  const { conflict, ...demo } = await seed({
    databaseUrl,
    modelsDir: environment['MODELS_DIR'] || join(root, 'models'),
    encryptionKeys,
    apiKey,
    environment,
  });
  if (demo.apiKey !== apiKey) writePrivateJson(secretsPath, { ...kept, apiKey: demo.apiKey });
  say('models and the demo organization are there');
  if (conflict) say(conflict);
  return demo;
}

/** @throws LaunchError when the folder or bucket can't be created */
export async function prepareFiles(settings: NodeJS.ProcessEnv, say: (line: string) => void): Promise<void> {
  try {
    await prepareStore(parseConfig(fileStoreConfig, settings), say);
  } catch (error) {
    throw new LaunchError(
      `The file store can't be prepared: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
