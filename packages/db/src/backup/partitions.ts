import type { ClientBase } from 'pg';
import { BackupRefusedError } from './connection.ts';

/**
 * Gives a database the months of another: those it lacks are made; of the months up to the last of the other, those
 * that the other had dropped go, for the audit tells by them what may be missing. Later ones stay.
 */
export async function arrangePartitions(client: ClientBase, wanted: string[]): Promise<void> {
  const months = wanted.map(monthOf).toSorted();
  const [first, last] = [months[0], months.at(-1)];
  if (first === undefined) return;
  await client.query('SELECT make_partitions($1::date, $2::date)', [first, last]);
  const { rows } = await client.query<{ name: string }>(others, [wanted, last]);
  for (const { name } of rows) await client.query(`DROP TABLE ${client.escapeIdentifier(name)}`);
}

const others = `SELECT partition AS name FROM month_partitions() WHERE partition <> ALL ($1::text[]) AND month <= $2::date`;

/** `executions_2026_11` -> `2026-11-01` */
function monthOf(partition: string): string {
  const [, year, month] = /_(\d{4})_(\d{2})$/.exec(partition) ?? [];
  if (!year) throw new BackupRefusedError(`the backup names a partition without a month: ${partition}`);
  return `${year}-${month}-01`;
}
