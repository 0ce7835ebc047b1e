import type { Database } from '@holdfast/db/client';

const names = [
  'server_version',
  'fsync',
  'synchronous_commit',
  'full_page_writes',
  'wal_sync_method',
  'shared_buffers',
  'max_wal_size',
];

/** How the server that was measured is set up, durability above all. */
export async function postgresSettings(db: Database): Promise<Record<string, string>> {
  const query = 'SELECT name, current_setting(name) AS value FROM unnest($1::text[]) AS name';
  const { rows } = await db.pool.query<{ name: string; value: string }>(query, [names]);
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}
