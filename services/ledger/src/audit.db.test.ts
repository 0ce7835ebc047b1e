import { auditLedger, type CheckedInvariant, invariants, requestAudit } from '@holdfast/db/audit/audit';
import type { Database } from '@holdfast/db/client';
import { createLogger } from '@holdfast/kit/logger';
import { createRegistry } from '@holdfast/kit/metrics';
import { openTestDatabase } from '@holdfast/testkit/testDatabase';
import { until } from '@holdfast/testkit/until';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { audit, exportAudit } from './audit.ts';
import { ledgerMetrics } from './metrics.ts';
import { damages } from './testing/damages.ts';
import { type SeededLedger, seedLedger } from './testing/seededLedger.ts';

let db: Database;
let close: () => Promise<void>;
let seeded: SeededLedger;

beforeEach(async () => {
  ({ db, close } = await openTestDatabase(10));
  seeded = await seedLedger(db);
});

afterEach(() => close());

const log = createLogger('test', 'silent');

/** What Prometheus reads of one instance: the invariants that are broken, and when that was found. */
async function readGauges() {
  const registry = createRegistry('test');
  await exportAudit(db, ledgerMetrics(registry));
  const read = async (name: string) =>
    (await registry.getSingleMetric(`holdfast_${name}`)?.get())?.values ?? [];
  const breaches = await read('ledger_breaches');
  const [auditedAt] = await read('ledger_audited_timestamp_seconds');
  return {
    known: breaches.length,
    broken: breaches.filter(({ value }) => value > 0).map(({ labels }) => String(labels.invariant)),
    auditedAtS: Number(auditedAt?.value),
  };
}

/** What no code of ours could do, done by hand. */
async function plant(damage: string): Promise<void> {
  await db.pool.query(`ALTER TABLE transfers DISABLE TRIGGER USER; ${damage}`);
  const guards = damage.includes('TRIGGER') ? '' : 'ALTER TABLE transfers ENABLE TRIGGER USER';
  await db.pool.query(guards);
}

/** The invariants that the gauges say are broken after some damage. */
async function brokenAfter(damage: string): Promise<string[]> {
  await plant(damage);
  await audit(db, 3600, log);
  return (await readGauges()).broken;
}

const cases = Object.entries(damages).flatMap(([invariant, all]) =>
  all.map((damage) => [damage.what, invariant, damage] as const),
);

describe('the audit', () => {
  it('finds nothing in a correct ledger', async () => {
    expect(await brokenAfter('')).toEqual([]);
  });

  it('is tested with damage to every invariant', () => {
    expect(Object.keys(damages).toSorted()).toEqual(Object.keys(invariants).toSorted());
  });

  it.each(cases)('when %s, names it: %s', async (_what, invariant, { sql, names }) => {
    await plant(sql(seeded));
    const breaches = await auditLedger(db);
    const named = breaches.filter((breach) => breach.invariant === invariant);
    expect(named).toContainEqual({ invariant, id: names(seeded), found: expect.any(String) });
  });

  it('names no more than a hundred rows of an invariant, and says that there are more', async () => {
    await db.pool.query(
      `INSERT INTO balances (organization_id) SELECT 'org_' || n FROM generate_series(1, 101) n`,
    );
    const checked: CheckedInvariant[] = [];
    const breaches = await auditLedger(db, (one) => checked.push(one));
    expect(breaches).toHaveLength(100);
    expect(checked.map(({ invariant }) => invariant)).toEqual(Object.keys(invariants));
    expect(checked.filter(({ areMore }) => areMore).map(({ invariant }) => invariant)).toEqual([
      'every organization has its balance',
    ]);
  });
});

describe('the audit of many instances', () => {
  it('runs once per interval, and every instance reports its result', async () => {
    const info = jest.spyOn(log, 'info');
    try {
      expect(await readGauges()).toEqual({ known: 0, broken: [], auditedAtS: 0 });
      await Promise.all(Array.from({ length: 4 }, () => audit(db, 3600, log)));
      await audit(db, 3600, log);
      expect(info).toHaveBeenCalledTimes(1);
      const { known, auditedAtS } = await readGauges();
      expect(known).toBe(Object.keys(invariants).length);
      expect(Math.abs(auditedAtS - Date.now() / 1000)).toBeLessThan(60);
    } finally {
      info.mockRestore();
    }
  });

  it('runs again after the interval, and reports a corrected breach as corrected', async () => {
    const damage = 'UPDATE balances SET available = available + 1';
    expect(await brokenAfter(damage)).not.toEqual([]);
    await db.pool.query('UPDATE balances SET available = available - 1');
    await audit(db, 3600, log);
    expect((await readGauges()).broken).not.toEqual([]);
    await db.pool.query(`UPDATE ledger_audits SET finished_at = now() - interval '3601 seconds'`);
    await audit(db, 3600, log);
    expect((await readGauges()).broken).toEqual([]);
  });

  it('runs within the interval when an operator asks for it, once', async () => {
    const info = jest.spyOn(log, 'info');
    try {
      await audit(db, 3600, log);
      expect(await requestAudit(db)).toBe(true);
      await audit(db, 3600, log);
      await audit(db, 3600, log);
      expect(info).toHaveBeenCalledTimes(2);
    } finally {
      info.mockRestore();
    }
  });

  it('passes to another instance at once when the running one dies', async () => {
    const dying = await db.pool.connect();
    await dying.query('BEGIN');
    await dying.query("SELECT pg_try_advisory_xact_lock(hashtext('holdfast ledger audit'))");
    await audit(db, 3600, log);
    expect((await readGauges()).known).toBe(0);
    dying.release(new Error('killed'));
    await until('the lock is free', async () => {
      await audit(db, 3600, log);
      return (await readGauges()).known > 0;
    });
  });
});
