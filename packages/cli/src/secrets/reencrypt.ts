import { countSecrets, eraseUnneededSecrets } from '@holdfast/db/secrets';
import { createSealedBox } from '@holdfast/kit/sealedBox';
import type { Context } from '../command.ts';
import { sealingKeys } from '../config.ts';
import { readFlags } from '../flags.ts';
import { resealSecrets } from './resealSecrets.ts';

/** 0: every secret is (in a dry run: can be) sealed with the first key; 1: some are not. */
export async function secretsReencrypt(
  args: string[],
  { openDatabase, say, tell }: Context,
): Promise<number> {
  const { 'dry-run': isDryRun } = readFlags(args, { 'dry-run': { type: 'boolean', default: false } });
  const box = createSealedBox(sealingKeys());
  const db = await openDatabase();
  if (!isDryRun) await eraseUnneededSecrets(db);
  const done = isDryRun ? 'can be sealed anew' : 'sealed anew';
  const results = await resealSecrets(db, box, {
    isDryRun,
    told: ({ place, resealed }) => tell(`${place}: ${resealed} ${done}`),
  });
  for (const { place, unopened } of results) {
    for (const id of unopened)
      say(`${place} of ${id} does not open: its key is another one, or it was changed`);
  }
  const counts = await countSecrets(db);
  sayCounts(counts, box.keyIds, say);
  const resealed = results.reduce((sum, result) => sum + result.resealed, 0);
  return conclude({ counts, keyIds: box.keyIds, isDryRun, resealed }, say);
}

function sayCounts(counts: Map<string, number>, keyIds: readonly string[], say: Context['say']): void {
  const unknown = [...counts.keys()].filter((id) => !keyIds.includes(id));
  for (const id of keyIds)
    say(`${id}: ${counts.get(id) ?? 0}${id === keyIds[0] ? ', the key that seals' : ''}`);
  for (const id of unknown) say(`${id}: ${counts.get(id)}, a key that ENCRYPTION_KEYS does not have`);
}

type Outcome = {
  counts: Map<string, number>;
  keyIds: readonly [string, ...string[]];
  isDryRun: boolean;
  resealed: number;
};

function conclude({ counts, keyIds, isDryRun, resealed }: Outcome, say: Context['say']): number {
  const [first, ...others] = keyIds;
  const left = [...counts].reduce((sum, [id, secrets]) => (id === first ? sum : sum + secrets), 0);
  const stuck = left - (isDryRun ? resealed : 0);
  if (stuck > 0) {
    say(
      `${stuck} are left that ${first} does not seal. Does every service have ${first} first? Then run this again.`,
    );
    return 1;
  }
  if (isDryRun) say(`${resealed} would be sealed with ${first}. Nothing was changed.`);
  else
    say(`Every secret is sealed with ${first}${others.length > 0 ? `: ${others.join(', ')} can go` : ''}.`);
  return 0;
}
