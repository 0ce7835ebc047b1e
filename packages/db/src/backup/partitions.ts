import type { ClientBase } from 'pg';
import { BackupRefusedError } from './connection.ts';

/**
 * Creates missing months and drops those the source had dropped: the audit infers from months what may be missing.
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

function monthOf(partition: string): string {
  const [, year, month] = /_(\d{4})_(\d{2})$/.exec(partition) ?? [];
  if (!year) throw new BackupRefusedError(`the backup names a partition without a month: ${partition}`);
  return `${year}-${month}-01`;
}
