import { topUp } from '@holdfast/db/balances/topUp';
import { type Database, openDatabase } from '@holdfast/db/client';
import { cancelExecution } from '@holdfast/db/executions/cancel';
import { insertExecutions } from '@holdfast/db/executions/insert';
import { newId } from '@holdfast/domain/ids';
import { createLogger } from '@holdfast/kit/logger';
import { createRegistry } from '@holdfast/kit/metrics';
import { createTestDatabase } from '@holdfast/testkit/testDatabase';
import { createTestOrganization } from '@holdfast/testkit/testOrganization';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { audit } from './audit.ts';
import { ledgerMetrics } from './metrics.ts';

let db: Database;
let drop: () => Promise<void>;
let organizationId: string;

beforeEach(async () => {
  const database = await createTestDatabase();
  drop = database.drop;
  db = openDatabase({ url: database.url, poolSize: 2, applicationName: 'test' });
  organizationId = await createTestOrganization(db, '10');
  await topUp(db, { organizationId, amount: '5', reason: null, idempotencyKey: null });
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

/** The invariants that the gauges say are broken, after damage that no code of ours could do. */
async function brokenAfter(damage: string): Promise<string[]> {
  await db.pool.query(`ALTER TABLE transfers DISABLE TRIGGER USER; ${damage}`);
  const registry = createRegistry('test');
  await audit(db, ledgerMetrics(registry), createLogger('test', 'silent'));
  const gauge = await registry.getSingleMetric('holdfast_ledger_breaches')?.get();
  return (gauge?.values ?? []).filter(({ value }) => value > 0).map(({ labels }) => String(labels.invariant));
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
    ['UPDATE transfers SET held_after = 7 WHERE sequence = 3', 'a transfer moves no more than it says'],
  ])('after %s names the broken rule', async (damage, invariant) => {
    expect(await brokenAfter(damage)).toContain(invariant);
  });
});
