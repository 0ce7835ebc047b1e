import { newId } from '@holdfast/domain/ids';
import type { RecordedOutcome } from '@holdfast/domain/outcome';
import { createTestOrganization, insertTestExecution } from '@holdfast/testkit/testData';
import { asRole, openTestDatabase } from '@holdfast/testkit/testDatabase';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { recordOutcomes } from './attempts/outcomes.ts';
import { auditLedger } from './audit/audit.ts';
import { getBalance } from './balances.ts';
import { storeCallback } from './callbacks.ts';
import { type Database, openDatabase } from './client.ts';
import { completeExecutions } from './executions/endings.ts';
import { findByIdempotencyKey } from './executions/insert.ts';
import { getExecution } from './executions/read.ts';
import { searchExecutions } from './executions/search.ts';
import { startExecutions } from './executions/start.ts';
import { insertOutput, listRemovableFiles, markFilesDeleted, markOutputReady } from './files.ts';
import {
  clearOldMonths,
  dropDeliveries,
  dropJournalPartitions,
  dropPartitions,
  listPartitions,
  makePartitions,
  planDrop,
  readHorizon,
} from './partitions.ts';

let db: Database;
/** Logged in as the ledger, which does the upkeep. */
let ledger: Database;
let close: () => Promise<void>;
let organizationId: string;

beforeEach(async () => {
  let url: string;
  ({ db, url, close } = await openTestDatabase(10));
  ledger = openDatabase({ url: asRole(url, 'holdfast_ledger'), poolSize: 10, applicationName: 'test' });
  organizationId = await createTestOrganization(db, '100');
  await db.pool.query(`SELECT make_partitions('2025-01-01'::date, '2025-03-01'::date)`);
});

afterEach(async () => {
  await ledger.close();
  await close();
});

const droppedTables = [
  'batch_items',
  'deliveries',
  'delivery_attempts',
  'events',
  'executions',
  'stream_events',
  'streams',
];

const outcome: RecordedOutcome = {
  ok: true,
  output: { text: 'hi' },
  inputTokens: 1,
  outputTokens: 2,
  cost: '0.20000000',
};

let made = 0;

/** An id as it was made then. */
function idOf(time: string): string {
  const hex = Date.parse(time).toString(16).padStart(12, '0');
  // Ids of events differ from those of their executions in the last bit.
  made += 2;
  return `exec_${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${String(made).padStart(12, '0')}`;
}

/** An execution of that time, with a key that is named as it. */
async function create(time: string): Promise<string> {
  const id = idOf(time);
  return await insertTestExecution(db, { id, organizationId, idempotencyKey: id, requestHash: 'h' });
}

/** One that has run and ended, with everything that hangs on it. */
async function completed(time: string): Promise<string> {
  const id = await create(time);
  const [started] = await startExecutions(db, [{ id, connection: 'sandbox', target: 'm' }], 30);
  const token = started?.attemptToken ?? '';
  // An attempt is at most a day younger than its execution.
  const attemptId = id.replace('exec', 'att');
  await db.pool.query('UPDATE attempts SET id = $1 WHERE token = $2', [attemptId, token]);
  const callback = {
    id: newId('cbk'),
    token,
    provider: 'sandbox',
    eventKey: id,
    headers: {},
    body: Buffer.from('{}'),
  };
  await storeCallback(db, callback);
  const output = {
    id: `file_${id}`,
    key: `file_${id}`,
    organizationId,
    executionId: id,
    filename: 'f',
    contentType: 'image/png',
  };
  await insertOutput(db, output);
  await markOutputReady(db, output.id, { sizeBytes: 1, width: 1, height: 1 });
  await recordOutcomes(db, [{ attemptId, outcome, state: 'succeeded' }]);
  await completeExecutions(db, [attemptId]);
  await db.pool.query('UPDATE executions SET completed_at = $2 WHERE id = $1', [id, time]);
  await db.pool.query(
    `WITH v AS (
       UPDATE events SET fanned_out_at = now(), body = '{}' WHERE id = event_id($1, 'execution.completed')
       RETURNING id, organization_id
     ),
     d AS (
       INSERT INTO deliveries (id, event_id, organization_id, lane, url, state, finished_at, expires_at)
       SELECT delivery_id(id, NULL), id, organization_id, 'lane', 'https://x.test/', 'delivered', now(), now() FROM v RETURNING id
     )
     INSERT INTO delivery_attempts (delivery_id, number) SELECT id, 1 FROM d`,
    [id],
  );
  return id;
}

const hanging = ['attempts', 'provider_callbacks', 'idempotency_keys'];

async function count(tables: string[]): Promise<number[]> {
  const counts = tables.map(async (table) => {
    const { rows } = await db.pool.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${table}`);
    return rows[0]?.n ?? 0;
  });
  return await Promise.all(counts);
}

const months = async () => [...new Set((await listPartitions(db.pool)).map(({ month }) => month))];
const setPending = (state: string) =>
  db.pool.query(`UPDATE deliveries SET state = $1, finished_at = CASE WHEN $1 <> 'pending' THEN now() END`, [
    state,
  ]);

describe('partitions', () => {
  it('are created once, however many processes create them at once', async () => {
    // The template of the tests may be of the month before.
    await makePartitions(ledger.pool);
    const before = await listPartitions(db.pool);
    const all = await Promise.all(Array.from({ length: 8 }, () => makePartitions(ledger.pool, 5)));
    const names = all.flat();
    expect(names).toHaveLength(16);
    expect(new Set(names).size).toBe(16);
    expect(await makePartitions(ledger.pool, 5)).toEqual([]);
    expect(await listPartitions(ledger.pool)).toHaveLength(before.length + 16);
    expect((await readHorizon(ledger.pool)).monthsAhead).toBe(5);
  });

  it('are created for a limited number of months ahead', async () => {
    await expect(makePartitions(ledger.pool, 25)).rejects.toThrow('0 to 24 months');
  });

  it('have the constraints and the storage of their tables, whenever they were created', async () => {
    await makePartitions(db.pool, 5);
    const { rows } = await db.pool.query<{ parent: string; shapes: number }>(
      `WITH shape AS (
         SELECT p.parent, p.partition, (
           SELECT string_agg(format('%s %s', contype, replace(pg_get_constraintdef(oid), ' NOT VALID', '')), E'\\n'
             ORDER BY contype, conname)
           FROM pg_constraint WHERE conrelid = p.partition::regclass
         ) AS rules, (
           SELECT string_agg(regexp_replace(pg_get_indexdef(indexrelid), '(INDEX|ON) \\S+', '', 'g'), E'\\n'
             ORDER BY regexp_replace(pg_get_indexdef(indexrelid), '(INDEX|ON) \\S+', '', 'g'))
           FROM pg_index WHERE indrelid = p.partition::regclass
         ) AS indexes, (SELECT count(*) FROM pg_trigger WHERE tgrelid = p.partition::regclass) AS triggers,
         (
           SELECT string_agg(format('%s %s%s', attname, attstorage, attcompression), ', ' ORDER BY attname)
           FROM pg_attribute WHERE attrelid = p.partition::regclass
         ) AS storage,
         (SELECT coalesce(reloptions::text, '{fillfactor=100}') FROM pg_class WHERE oid = p.partition::regclass) AS options
         FROM month_partitions() p
       )
       SELECT parent, count(DISTINCT (rules, indexes, triggers, storage, options))::int AS shapes FROM shape GROUP BY parent`,
    );
    expect(rows).toHaveLength(8);
    for (const { shapes } of rows) expect(shapes).toBe(1);
  });
});

describe('months that are older than the retention', () => {
  it('are dropped with all rows that depend on them, and the ledger stays correct', async () => {
    const [old, young] = [await completed('2025-01-15'), await completed(new Date().toISOString())];
    await completed('2025-01-31T23:59:59.999Z');
    const balance = await getBalance(db, organizationId);
    expect(await count([...hanging, 'delivery_attempts'])).toEqual([3, 3, 3, 3]);

    await clearOldMonths(ledger.pool, 30);
    const { dropped, kept } = await dropPartitions(ledger.pool, 30);

    expect(kept).toEqual([]);
    expect(dropped).toEqual(
      ['01', '02', '03'].flatMap((month) => droppedTables.map((table) => `${table}_2025_${month}`)),
    );
    expect(await count([...hanging, 'executions', 'events', 'deliveries', 'delivery_attempts'])).toEqual([
      1, 1, 1, 1, 2, 1, 1,
    ]);
    expect(await auditLedger(db)).toEqual([]);
    expect(await getBalance(db, organizationId)).toEqual(balance);
    expect(await getExecution(db, organizationId, old)).toBeNull();
    expect(await findByIdempotencyKey(db, organizationId, old)).toBeNull();
    expect(await findByIdempotencyKey(db, organizationId, young)).not.toBeNull();
    expect((await searchExecutions(db, { organizationId }, 10, 10)).rows.map(({ id }) => id)).toEqual([
      young,
    ]);
    expect((await searchExecutions(db, { organizationId, cursor: old }, 10, 10)).rows).toEqual([]);
  });

  it('have their output files removed from the store, then from the database', async () => {
    const [old, young] = [await completed('2025-01-15'), await completed(new Date().toISOString())];
    await clearOldMonths(ledger.pool, 30);
    await dropPartitions(ledger.pool, 30);
    const removable = (await listRemovableFiles(db, 10)).map(({ id }) => id);
    expect(removable).toEqual([`file_${old}`]);
    await markFilesDeleted(db, removable);
    await clearOldMonths(ledger.pool, 30);
    const { rows } = await db.pool.query('SELECT id FROM files');
    expect(rows).toEqual([{ id: `file_${young}` }]);
  });

  it('are cleared page by page, and the next run continues one that was stopped', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, index) => completed(`2025-01-${index + 10}`)));
    await clearOldMonths(ledger.pool, 30, () => true);
    expect(await count(['attempts'])).toEqual([20]);
    let last = '';
    for (const left of [13, 6, 0]) {
      const { rows } = await ledger.pool.query(`SELECT clear_month('2025-01-01', 30, $1, 7) AS last`, [last]);
      last = rows[0].last;
      expect(await count(hanging)).toEqual(hanging.map(() => left));
    }
  });

  it('stay while an execution is open, a delivery is pending, or other rows depend on them', async () => {
    const id = await completed('2025-01-15');
    const reason = async () => {
      const { dropped, kept } = await dropPartitions(ledger.pool, 30);
      expect(dropped).not.toContain('executions_2025_01');
      expect(kept.map(({ partition }) => partition)).toEqual(['executions_2025_01']);
      return kept[0]?.reason;
    };
    expect(await reason()).toBe('attempts of it are there yet');
    await setPending('pending');
    expect(await reason()).toBe('deliveries of it are pending');
    await clearOldMonths(ledger.pool, 30);
    expect(await count(hanging)).toEqual([1, 1, 1]);
    await setPending('failed');
    await db.pool.query('UPDATE events SET fanned_out_at = NULL');
    expect(await reason()).toBe('events of it have not been fanned out');
    await db.pool.query('UPDATE events SET fanned_out_at = now()');
    await create('2025-01-20');
    expect(await reason()).toBe('executions of it have not ended');
    expect(await getExecution(db, organizationId, id)).not.toBeNull();
  });

  it('are listed by a dry run: which would be dropped, which would stay and why', async () => {
    await create('2025-02-15');
    const plan = async (includingJournal: boolean) =>
      (await planDrop(db.pool, 30, includingJournal)).map(({ name, kept }) => [name, kept]);
    const reason = 'executions of it have not ended';
    const names = (month: string) => droppedTables.map((table) => `${table}_2025_${month}`);
    expect(await plan(false)).toEqual([
      ...names('01').map((name) => [name, null]),
      ...names('02').map((name) => [name, reason]),
      ...names('03').map((name) => [name, null]),
    ]);
    expect(await plan(true)).toEqual(
      expect.arrayContaining([
        ['transfers_2025_01', null],
        ['transfers_2025_02', reason],
        ['transfers_2025_03', null],
      ]),
    );
    await clearOldMonths(db.pool, 30);
    const { dropped } = await dropPartitions(db.pool, 30);
    expect(dropped).toEqual([...names('01'), ...names('03')]);
    expect((await dropJournalPartitions(db.pool, 30)).dropped).toEqual([
      'transfers_2025_01',
      'transfers_2025_03',
    ]);
    await expect(planDrop(db.pool, 29, false)).rejects.toThrow('never dropped');
  });

  it('never include a month younger than 30 days or one that is only partly old', async () => {
    await expect(dropPartitions(ledger.pool, 29)).rejects.toThrow('never dropped');
    await expect(dropJournalPartitions(db.pool, 29)).rejects.toThrow('never dropped');
    const daysSinceMidFebruary = Math.floor((Date.now() - Date.parse('2025-02-15')) / 86_400_000);
    const { dropped } = await dropPartitions(ledger.pool, daysSinceMidFebruary);
    expect(dropped).toEqual(droppedTables.map((table) => `${table}_2025_01`));
    expect(await months()).toContain('2025-02');
  });

  it('can lose their delivery log earlier', async () => {
    const id = await completed('2025-01-15');
    const names = ['01', '02', '03'].flatMap((month) => [
      `deliveries_2025_${month}`,
      `delivery_attempts_2025_${month}`,
    ]);
    expect(await dropDeliveries(ledger.pool, 30)).toEqual({ dropped: names, kept: [] });
    expect(await dropDeliveries(ledger.pool, 30)).toEqual({ dropped: [], kept: [] });
    expect(await count(['deliveries', 'delivery_attempts', 'executions', 'events'])).toEqual([0, 0, 1, 2]);
    expect(await getExecution(db, organizationId, id)).not.toBeNull();
    await expect(dropDeliveries(ledger.pool, 29)).rejects.toThrow('never dropped');
    await clearOldMonths(ledger.pool, 30);
    expect((await dropPartitions(ledger.pool, 30)).dropped).toHaveLength(15);
  });

  it('are skipped while another session uses them', async () => {
    const reader = await db.pool.connect();
    await reader.query('BEGIN');
    await reader.query('SELECT FROM executions');
    const { dropped, kept } = await dropPartitions(ledger.pool, 30);
    expect(dropped).toEqual([]);
    expect(kept[0]).toEqual({ partition: 'executions_2025_01', reason: 'it is in use' });
    await reader.query('ROLLBACK');
    reader.release();
    expect((await dropPartitions(ledger.pool, 30)).dropped).toHaveLength(21);
  });

  it('of the journal can be summed for longer than the statement timeout of a service', async () => {
    await dropPartitions(db.pool, 30);
    const reader = await db.pool.connect();
    const hurried = new pg.Pool({ ...db.pool.options, statement_timeout: 3000, query_timeout: 3500 });
    // It waits for longer than any other statement may take.
    await db.pool.query("ALTER FUNCTION drop_journal_partitions SET lock_timeout = '4s'");
    await reader.query('BEGIN');
    await reader.query('SELECT FROM transfers_2025_01');
    try {
      const { kept } = await dropJournalPartitions(hurried, 30);
      expect(kept[0]).toEqual({ partition: 'transfers_2025_01', reason: 'it is in use' });
    } finally {
      await reader.query('ROLLBACK');
      reader.release();
      await hurried.end();
    }
  });

  it('keep their journal until the owner drops it too', async () => {
    await completed('2025-01-15');
    expect((await dropJournalPartitions(db.pool, 30)).kept[0]).toEqual({
      partition: 'transfers_2025_01',
      reason: 'its executions are there yet',
    });
    await clearOldMonths(ledger.pool, 30);
    await dropPartitions(ledger.pool, 30);
    expect(await months()).toContain('2025-01');
    const balance = await getBalance(db, organizationId);
    await expect(dropJournalPartitions(ledger.pool, 30)).rejects.toThrow('permission denied');
    const { dropped } = await dropJournalPartitions(db.pool, 30);
    expect(dropped).toEqual(['transfers_2025_01', 'transfers_2025_02', 'transfers_2025_03']);
    expect(await months()).not.toContain('2025-01');
    expect(await getBalance(db, organizationId)).toEqual(balance);
    // The ledger keeps working.
    await completed(new Date().toISOString());
    expect(await auditLedger(db)).toEqual([]);
  });

  it('that were dropped by hand are reported by the audit', async () => {
    await completed('2025-01-15');
    await completed(new Date().toISOString());
    await db.pool.query('DROP TABLE transfers_2025_01, executions_2025_01, events_2025_01');
    const broken = (await auditLedger(db)).map(({ invariant, id }) => [invariant, id]);
    expect(broken).toContainEqual(['the journal is numbered without gaps', organizationId]);
    expect(broken).toContainEqual(['each balance is the sum of its transfers', organizationId]);
  });
});
