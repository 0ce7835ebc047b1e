import { asRole, createTestDatabase } from '@holdfast/testkit/testDatabase';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { roles } from './roles/rights.ts';
import { type Explained, openExplained, type Reads, reportPlansSql } from './testing/explained.ts';
import { type HotStatement, hotStatements } from './testing/hotStatements.ts';
import { absentWorkload, fillWorkload, readWorkload, type Workload } from './testing/workload.ts';

const size = 4000;
const batch = 40;
/** Look-ups in a few tables: a tree of three levels and a row each, and for every endpoint of an organization a row. */
const maxRows = 10;
const maxPages = 10;

type Database = { url: string; run(...statements: string[]): Promise<void> };

/** What the planner believes when a service makes its plans. Autovacuum would correct it in a minute. */
const beliefs: Record<string, (database: Database) => Promise<void>> = {
  'on tables that were vacuumed while they were empty': ({ run }) => run('VACUUM (ANALYZE)'),
  'on tables that were never vacuumed': async () => {},
  'on a month that was vacuumed while it was empty, after a month of completed executions': async ({
    url,
    run,
  }) => {
    await fillWorkload(url, size, true);
    await run('VACUUM (ANALYZE)');
  },
  'on statistics of full tables that are empty now': async ({ url, run }) => {
    await fillWorkload(url, size);
    await run(
      'VACUUM (ANALYZE)',
      'SET session_replication_role = replica',
      ...filledTables.map((table) => `DELETE FROM ${table}`),
    );
  },
};

const filledTables = [
  'executions',
  'transfers',
  'attempts',
  'events',
  'deliveries',
  'delivery_attempts',
  'files',
  'streams',
  'stream_events',
  'face_requests',
  'batches',
  'batch_items',
];

describe.each(Object.keys(beliefs))('a service that made its plans %s', (belief) => {
  let drop: () => Promise<void>;
  let work: Workload;
  const sessions = new Map<string, Explained>();

  beforeAll(async () => {
    const database = await createTestDatabase();
    drop = database.drop;
    const owner = new pg.Client({ connectionString: database.url });
    await owner.connect();
    const run = async (...statements: string[]) => {
      for (const statement of statements) await owner.query(statement);
    };
    await run(...(await withoutAutovacuum(owner)));
    await beliefs[belief]?.({ url: database.url, run });
    await run(...(await withoutAutovacuum(owner)), reportPlansSql(new URL(database.url).pathname.slice(1)));
    await owner.end();
    for (const role of roles) sessions.set(role, await openExplained(asRole(database.url, role)));
    for (const { role, run: plan } of hotStatements) {
      await sessions.get(role)?.explain((db) => plan(db, absentWorkload(batch)));
    }
    await fillWorkload(database.url, size);
    work = await readWorkload(database.url, batch);
  }, 60_000);

  afterAll(async () => {
    for (const session of sessions.values()) await session.close();
    await drop();
  });

  it.each(hotStatements)(
    'reads a bounded number of rows and pages for each item of $name',
    async ({ role, kind, run }) => {
      let returned: unknown;
      const reads = await sessions.get(role)?.explain(async (db) => {
        returned = await run(db, work);
      });
      const items = itemsOf(kind, returned);
      expect(reads?.length).toBeGreaterThan(0);
      expect(reads?.filter((read) => isTooMuch(read, items))).toEqual([]);
    },
  );
});

async function withoutAutovacuum(owner: pg.Client): Promise<string[]> {
  const { rows } = await owner.query<{ sql: string }>(`
    SELECT format('ALTER TABLE %I SET (autovacuum_enabled = off)', relname) AS sql FROM pg_class
    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`);
  return rows.map(({ sql }) => sql);
}

function itemsOf(kind: HotStatement['kind'], returned: unknown): number {
  if (kind === 'one') return 1;
  return kind === 'batch' || !Array.isArray(returned) ? batch : Math.max(batch, returned.length);
}

const isTooMuch = ({ rows, pages }: Reads, items: number) =>
  rows > maxRows * items || pages > maxPages * items;
