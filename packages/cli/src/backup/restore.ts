import { auditLedger } from '@holdfast/db/audit/audit';
import { migrate, readMigrationState } from '@holdfast/db/migrate/migrate';
import { wholeNumber } from '@holdfast/kit/flags';
import { createSealedBox, type SealedBox } from '@holdfast/kit/sealedBox';
import type { Context } from '../command.ts';
import { sealingKeys } from '../config.ts';
import { exitCodes, RefusedError } from '../errors.ts';
import { readOperands } from '../flags.ts';
import { refusable, storeOf } from './backup.ts';
import { loadDatabase } from './load.ts';
import type { Manifest } from './manifest.ts';
import { verifyBackup } from './verify.ts';

const defaultMinutes = 60;
const flags = {
  check: { type: 'boolean', default: false },
  'webhooks-within': { type: 'string', default: String(defaultMinutes) },
  'ignore-keys': { type: 'boolean', default: false },
} as const;

/** 0: restored, and the ledger is consistent; 1: refused (and nothing was changed), or the ledger is not consistent. */
export async function restore(args: string[], context: Context): Promise<number> {
  const { operands, values } = readOperands('restore', args, ['folder'], flags);
  const minutes = wholeNumber('--webhooks-within', values['webhooks-within'], { min: 0, max: 9_999_999 });
  const [folder] = operands;
  context.report('reading every part of the backup');
  const manifest = await verifyBackup(folder);
  context.report(`the backup is intact: as of ${manifest.taken_at}, ${manifest.migrations.at(-1)?.name}`);
  if (values.check) {
    context.print(`${folder} is intact.`);
    return 0;
  }
  const box = values['ignore-keys'] ? null : boxFor(manifest);
  const ended = await refusable(() => load(folder, { manifest, box, minutes }, context));
  printConsequences(manifest, { ended, minutes }, context);
  return await audit(context);
}

/** @throws RefusedError before anything is loaded, when one of the keys is missing */
function boxFor({ sealed_with }: Manifest): SealedBox {
  const box = createSealedBox(sealingKeys());
  const missing = sealed_with.filter((id) => !box.keyIds.includes(id));
  if (missing.length === 0) return box;
  throw new RefusedError(
    `its secrets are sealed with ${missing.join(', ')}, which ENCRYPTION_KEYS does not have. Set the keys that the ` +
      'services had; if they are lost for good, use --ignore-keys and rotate every webhook secret afterwards.',
  );
}

type RestoreOptions = { manifest: Manifest; box: SealedBox | null; minutes: number };

async function load(
  folder: string,
  { manifest, box, minutes }: RestoreOptions,
  context: Context,
): Promise<number> {
  const { report } = context;
  const databaseUrl = context.databaseUrl();
  const store = manifest.files ? await storeOf(context) : null;
  const { applied, missing } = await readMigrationState(await context.openDatabase());
  if (applied === 0) refuseOtherVersion(manifest, missing);
  if (applied === 0) report(`migrations applied: ${(await migrate(databaseUrl)).length}`);
  return await loadDatabase(folder, manifest, {
    databaseUrl,
    box,
    webhooksWithinMs: minutes * 60_000,
    store,
    report,
  });
}

/** Before an empty database gets this version's tables: another version could not use it any more. */
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

function printConsequences(
  manifest: Manifest,
  { ended, minutes }: { ended: number; minutes: number },
  { print }: Context,
) {
  print(
    `Restored as of ${manifest.taken_at}. Executions, top-ups, revoked keys and erasures since then are not included.`,
  );
  if (ended > 0)
    print(
      `${ended} deliveries were pending for more than ${minutes} minutes and have expired: holdfast webhooks recover sends them.`,
    );
  if (!manifest.files) print('The backup has no files: they must be in the store already.');
  print(
    'Empty Redis before the services start, and run the setup (migrate), which gives the roles their rights.',
  );
}

async function audit({ openDatabase, print }: Context): Promise<number> {
  const breaches = await auditLedger(await openDatabase());
  for (const { invariant, id, found } of breaches) print(`${invariant}: ${id}: ${found}`);
  print(
    breaches.length === 0
      ? 'The ledger is consistent.'
      : `The ledger is NOT consistent: ${breaches.length} rows break an invariant. Start no service before you know why.`,
  );
  return breaches.length === 0 ? 0 : exitCodes.wrong;
}
