import { type Database, openDatabase } from '@holdfast/db/client';
import { withLock } from '@holdfast/db/databases';
import { faultOf, isTransient } from '@holdfast/db/faults';
import { migrate } from '@holdfast/db/migrate/migrate';
import { makePartitions } from '@holdfast/db/partitions';
import { applyRoles } from '@holdfast/db/roles/roles';
import { ping } from '@holdfast/db/server';
import { reasonOf } from '@holdfast/kit/within';
import type { SetupConfig } from './config.ts';
import { demoOrganization, fixedDemoKey } from './demo.ts';
import { applyCatalogue, conflictText } from './models.ts';
import { applyOverage } from './overage.ts';
import { prepareStore } from './store.ts';
import { type Patience, patience, waitUntil } from './waitUntil.ts';

type Say = (line: string) => void;

/** Any constant, the same in every version, other than the migrations' lock. */
const setupLock = 4_652_115_921;

/** Idempotent, also after a crash; concurrent runs wait for each other. @throws the reason in one line */
export async function setUp(config: SetupConfig, say: Say, waiting: Patience = patience): Promise<void> {
  const db = openDatabase({ url: config.databaseUrl, poolSize: 2, applicationName: 'holdfast-setup' });
  try {
    await step('database', () => untilDatabaseResponds(db, say, waiting));
    await withLock(config.databaseUrl, setupLock, () => steps(db, config, say, waiting));
  } finally {
    await db.close();
  }
}

async function steps(db: Database, config: SetupConfig, say: Say, waiting: Patience): Promise<void> {
  const report = async (name: string, work: () => Promise<string>) =>
    say(`${name}: ${await step(name, work)}`);
  await report('migrations', () => applyMigrations(config.databaseUrl));
  await report('partitions', () => preparePartitions(db));
  await report('roles', () => setRoles(config));
  await report('overage', () => applyOverage(db, config.environment));
  await report('files', async () => `${await prepareStore(config.files, say, waiting)} is ready`);
  await report('models', () => setModels(db, config));
  await report('demo organization', () => setDemo(db, config));
}

async function step<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new Error(`${name}: ${reasonOf(error)}`, { cause: error });
  }
}

async function untilDatabaseResponds(db: Database, say: Say, waiting: Patience): Promise<void> {
  const work = () => ping(db);
  // A refused login stays refused until the operator corrects it.
  const passes = (error: unknown) => isTransient(error) && faultOf(error) !== 'not trusted';
  await waitUntil({ what: 'PostgreSQL', work, passes, say }, waiting);
}

async function applyMigrations(databaseUrl: string): Promise<string> {
  const applied = await migrate(databaseUrl);
  return applied.length === 0 ? 'up to date' : `${applied.length} applied`;
}

async function preparePartitions(db: Database): Promise<string> {
  const made = await makePartitions(db.pool);
  return made.length === 0 ? 'up to date' : `${made.length} made`;
}

async function setRoles({ databaseUrl, rolePasswords }: SetupConfig): Promise<string> {
  if (rolePasswords === null) return 'unchanged, because no password is set';
  await applyRoles(databaseUrl, rolePasswords);
  return `${Object.keys(rolePasswords).join(', ')} have their rights and passwords`;
}

async function setModels(db: Database, { modelsDir, environment }: SetupConfig): Promise<string> {
  const applied = await applyCatalogue(db, modelsDir, environment);
  const { known, offered, withdrawn } = applied;
  const gone = withdrawn.length === 0 ? '' : `, withdrawn: ${withdrawn.join(', ')}`;
  const conflict = conflictText(applied);
  return `${known}, offered ${offered}${gone}${conflict === null ? '' : `; ${conflict}`}`;
}

async function setDemo(db: Database, { demo, publicUrl }: SetupConfig): Promise<string> {
  if (demo === null) return `none, because DEMO_KEY_SECRET is not set. The API is at ${publicUrl}`;
  const organizationId = await demoOrganization(db, demo.encryptionKeys);
  const key = await fixedDemoKey(db, organizationId, demo.secret);
  if (key !== null) return `${organizationId} is ready\n\n  API      ${publicUrl}\n  API key  ${key}\n`;
  const path = `/admin/v1/organizations/${organizationId}/api-keys`;
  return `${organizationId} exists, but its key was revoked or rotated. For a new key: POST ${path} {"name": "..."} in the admin API. The API is at ${publicUrl}`;
}
