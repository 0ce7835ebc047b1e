import { adjustBalance } from '@holdfast/db/balances/adjust';
import { topUp } from '@holdfast/db/balances/topUp';
import { type Database, openDatabase } from '@holdfast/db/client';
import { cancelExecution } from '@holdfast/db/executions/cancel';
import { insertExecutions } from '@holdfast/db/executions/insert';
import { setSpendLimit } from '@holdfast/db/spendLimits/set';
import { newId } from '@holdfast/domain/ids';
import { createLogger } from '@holdfast/kit/logger';
import { createRegistry } from '@holdfast/kit/metrics';
import { createTestDatabase } from '@holdfast/testkit/testDatabase';
import { createTestOrganization } from '@holdfast/testkit/testOrganization';
import { until } from '@holdfast/testkit/until';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { audit, exportAudit } from './audit.ts';
import { ledgerMetrics } from './metrics.ts';

let db: Database;
let drop: () => Promise<void>;
let organizationId: string;

beforeEach(async () => {
  const database = await createTestDatabase();
  drop = database.drop;
  db = openDatabase({ url: database.url, poolSize: 10, applicationName: 'test' });
  organizationId = await createTestOrganization(db, '10');
  await topUp(db, { organizationId, amount: '5', reason: null, idempotencyKey: null });
  const correction = { kind: 'correction', amount: '-1', reason: 'a mistake', idempotencyKey: null } as const;
  await adjustBalance(db, { organizationId, ...correction });
  await setSpendLimit(db, { organizationId, apiKeyId: null, amount: '100' });
  await create();
  await cancelExecution(db, organizationId, await create());
});

afterEach(async () => {
  await db.close();
  await drop();
});

async function create(): Promise<string> {
  const id = newId('exec');
  const rest = { apiKeyId: 'key', idempotencyKey: null, requestHash: '', model: 'm', metadataJson: null };
  const money = { holdAmount: '0.6', estimatedCost: '0.5' };
  await insertExecutions(db, [
    { id, organizationId, ...rest, ...money, inputJson: '{}', webhookUrl: null, timeoutS: 60 },
  ]);
  return id;
}

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

/** The invariants that the gauges say are broken, after damage that no code of ours could do. */
async function brokenAfter(damage: string): Promise<string[]> {
  await db.pool.query(`ALTER TABLE transfers DISABLE TRIGGER USER; ${damage}`);
  await audit(db, 3600, log);
  return (await readGauges()).broken;
}

describe('the audit', () => {
  it('finds nothing in books that are right', async () => {
    expect(await brokenAfter('')).toEqual([]);
  });

  it.each([
    ['UPDATE balances SET available = available + 1', 'each balance is the sum of its transfers'],
    ['UPDATE balances SET held = held + 1', 'held is the sum of open holds'],
    ['DELETE FROM transfers WHERE sequence = 2', 'the journal is numbered without gaps'],
    ["DELETE FROM transfers WHERE kind = 'hold'", 'an execution has exactly one hold'],
    [
      "DELETE FROM transfers WHERE kind = 'release'",
      'FAILED, CANCELLED and EXPIRED have one release and no charge',
    ],
    ['DELETE FROM events', 'an ending has exactly one event'],
    [
      "UPDATE executions SET status = 'COMPLETED', cost = 1 WHERE status = 'CANCELLED'",
      'COMPLETED has exactly one settlement, of its cost',
    ],
    [
      "UPDATE executions SET status = 'PENDING', completed_at = NULL WHERE status = 'CANCELLED'",
      'an open execution has no resolution',
    ],
    ['UPDATE spend_limits SET spent = 0', 'a spend limit counts what was spent in its month'],
    ['UPDATE transfers SET held_after = 7 WHERE sequence = 3', 'a transfer moves no more than it says'],
  ])('after %s names the broken rule', async (damage, invariant) => {
    expect(await brokenAfter(damage)).toContain(invariant);
  });
});

describe('the audit of many instances', () => {
  it('is one in an interval, and every instance tells of it', async () => {
    const info = jest.spyOn(log, 'info');
    try {
      expect(await readGauges()).toEqual({ known: 0, broken: [], auditedAtS: 0 });
      await Promise.all(Array.from({ length: 4 }, () => audit(db, 3600, log)));
      await audit(db, 3600, log);
      expect(info).toHaveBeenCalledTimes(1);
      const { known, auditedAtS } = await readGauges();
      expect(known).toBe(10);
      expect(Math.abs(auditedAtS - Date.now() / 1000)).toBeLessThan(60);
    } finally {
      info.mockRestore();
    }
  });

  it('is due again after the interval, and what was mended is shown as mended', async () => {
    const damage = 'UPDATE balances SET available = available + 1';
    expect(await brokenAfter(damage)).not.toEqual([]);
    await db.pool.query('UPDATE balances SET available = available - 1');
    await audit(db, 3600, log);
    expect((await readGauges()).broken).not.toEqual([]);
    await db.pool.query(`UPDATE ledger_audits SET finished_at = now() - interval '3601 seconds'`);
    await audit(db, 3600, log);
    expect((await readGauges()).broken).toEqual([]);
  });

  it('passes to another instance at once when the one that is at it dies', async () => {
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
