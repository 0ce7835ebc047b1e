import { auditLedger } from '@holdfast/db/audit/audit';
import { migrate, readMigrationState } from '@holdfast/db/migrate/migrate';
import { createSealedBox, type SealedBox } from '@holdfast/kit/sealedBox';
import { RefusedError } from '../admin/refusedError.ts';
import type { Context } from '../command.ts';
import { sealingKeys } from '../config.ts';
import { exitCodes } from '../exitCodes.ts';
import { readOperands } from '../flags.ts';
import { UsageError } from '../usageError.ts';
import { refusable, storeOf } from './backup.ts';
import { loadDatabase } from './load.ts';
import type { Manifest } from './manifest.ts';
import { verifyBackup } from './verify.ts';

const usualMinutes = 60;
const flags = {
  check: { type: 'boolean', default: false },
  'webhooks-within': { type: 'string', default: String(usualMinutes) },
  'ignore-keys': { type: 'boolean', default: false },
} as const;

/** 0: restored, and the books are right; 1: refused (and nothing was changed), or the books are not right. */
export async function restore(args: string[], context: Context): Promise<number> {
  const { operands, values } = readOperands('restore', args, ['folder'], flags);
  const minutes = minutesOf(values['webhooks-within']);
  const [folder] = operands;
  context.tell('reading every part of the backup');
  const manifest = await verifyBackup(folder);
  context.tell(`the backup is whole: as of ${manifest.taken_at}, ${manifest.migrations.at(-1)?.name}`);
  if (values.check) {
    context.say(`${folder} is whole.`);
    return 0;
  }
  const box = values['ignore-keys'] ? null : boxFor(manifest);
  const ended = await refusable(() => load(folder, { manifest, box, minutes }, context));
  sayConsequences(manifest, { ended, minutes }, context);
  return await audit(context);
}

function minutesOf(text: string): number {
  if (/^\d{1,7}$/.test(text)) return Number(text);
  throw new UsageError('--webhooks-within needs a number of minutes');
}

/** @throws RefusedError before anything is loaded, when one of the keys is not given at all */
function boxFor({ sealed_with }: Manifest): SealedBox {
  const box = createSealedBox(sealingKeys());
  const lacking = sealed_with.filter((id) => !box.keyIds.includes(id));
  if (lacking.length === 0) return box;
  throw new RefusedError(
    `secrets in it are sealed with ${lacking.join(', ')}, which ENCRYPTION_KEYS does not have. Give the keys that the ` +
      'services had; if they are lost for good, --ignore-keys, and rotate every webhook secret afterwards.',
  );
}

type Wanted = { manifest: Manifest; box: SealedBox | null; minutes: number };

async function load(folder: string, { manifest, box, minutes }: Wanted, context: Context): Promise<number> {
  const { tell } = context;
  const databaseUrl = context.databaseUrl();
  const store = manifest.files ? await storeOf(context) : null;
  const { applied, missing } = await readMigrationState(await context.openDatabase());
  if (applied === 0) refuseOtherVersion(manifest, missing);
  if (applied === 0) tell(`migrations applied: ${(await migrate(databaseUrl)).length}`);
  return await loadDatabase(folder, manifest, {
    databaseUrl,
    box,
    webhooksWithinMs: minutes * 60_000,
    store,
    tell,
  });
}

/** Before an empty database is given the tables of this version, and another version could not use it any more. */
function refuseOtherVersion({ migrations }: Manifest, known: string[]): void {
  const names = migrations.map(({ name }) => name);
  const [unknown, lacking] = [
    names.find((one) => !known.includes(one)),
    known.find((one) => !names.includes(one)),
  ];
  if (unknown === undefined && lacking === undefined) return;
  throw new RefusedError(
    unknown === undefined
      ? `the backup is of an older version of Holdfast, before ${lacking}. Restore with that version, then upgrade.`
      : `the backup is of another version of Holdfast: this one has no ${unknown}. Restore with the version that made it.`,
  );
}

function sayConsequences(
  manifest: Manifest,
  { ended, minutes }: { ended: number; minutes: number },
  { say }: Context,
) {
  say(
    `Restored: everything is as of ${manifest.taken_at}. What was accepted, topped up, revoked or erased since is not in it.`,
  );
  if (ended > 0)
    say(
      `${ended} deliveries had waited for more than ${minutes} minutes and are expired: holdfast webhooks recover sends them.`,
    );
  if (!manifest.files) say('The backup has no files: the store must have them.');
  say(
    'Empty Redis before the services start, and run the setup (migrate), which gives the roles their rights.',
  );
}

async function audit({ openDatabase, say }: Context): Promise<number> {
  const breaches = await auditLedger(await openDatabase());
  for (const { invariant, id, found } of breaches) say(`${invariant}: ${id}: ${found}`);
  say(
    breaches.length === 0
      ? 'The books are right.'
      : `The books are NOT right: ${breaches.length} found. Start nothing before you know why.`,
  );
  return breaches.length === 0 ? 0 : exitCodes.wrong;
}
