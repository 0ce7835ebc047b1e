import { recordOutcomes } from '@holdfast/db/attempts/outcomes';
import { auditLedger } from '@holdfast/db/audit/audit';
import { getBalance } from '@holdfast/db/balances';
import { cancelExecution, completeExecutions, failExecutions } from '@holdfast/db/executions/endings';
import { startExecutions } from '@holdfast/db/executions/start';
import { updateOrganization } from '@holdfast/db/organizations';
import { getSpendLimits, removeSpendLimit, setSpendLimit } from '@holdfast/db/spendLimits';
import type { OveragePolicy } from '@holdfast/domain/ledger';
import type { RecordedOutcome } from '@holdfast/domain/outcome';
import { createTestOrganization } from '@holdfast/testkit/testData';
import { openTestDatabase } from '@holdfast/testkit/testDatabase';
import { until } from '@holdfast/testkit/until';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type CreateRequest, openCreator } from './creator.ts';
import { nowhere } from './testing/nowhere.ts';

const { db, close } = await openTestDatabase(10);
let organizationId: string;

/** Two processes. */
const creators = [openCreator({ db, dispatch: nowhere }), openCreator({ db, dispatch: nowhere })] as const;

afterAll(async () => {
  expect(await auditLedger(db)).toEqual([]);
  await close();
});

beforeEach(async () => {
  organizationId = await createTestOrganization(db, '100');
});

const setPolicy = (spendLimitOverage: OveragePolicy) =>
  updateOrganization(db, organizationId, { spendLimitOverage });
const limitOrganization = (amount: string) => setSpendLimit(db, { organizationId, apiKeyId: null, amount });
const limitKey = (apiKeyId: string, amount: string) =>
  setSpendLimit(db, { organizationId, apiKeyId, amount });
const spent = async (scopeId = organizationId) =>
  Number((await getSpendLimits(db, [scopeId])).get(scopeId)?.spent);
const held = async () => Number((await getBalance(db, organizationId))?.held);
/** Unique per test, as a key belongs to one organization. */
const keyOf = (name: string) => `key_${name}_${organizationId}`;

/** With a hold of 0.6. */
async function create(change: Partial<CreateRequest> = {}, creator = creators[0]): Promise<string> {
  const { record } = await creator.create({
    organizationId,
    apiKeyId: keyOf('a'),
    idempotencyKey: null,
    requestHash: 'a hash',
    model: 'a-model',
    input: { prompt: 'hello' },
    metadata: null,
    webhookUrl: null,
    estimatedCost: '0.5',
    timeoutS: 600,
    ...change,
  });
  return record.id;
}

const createAs = (name: string) => create({ apiKeyId: keyOf(name) });
const limitReached = { code: 'SPEND_LIMIT_REACHED', status: 402, retryable: false };

/** Runs and settles it: with a cost it succeeds. */
async function finish(id: string, cost: string | null): Promise<void> {
  const attemptId = await run(id, cost);
  await (cost === null ? failExecutions : completeExecutions)(db, [attemptId]);
}

/** Runs it and leaves the outcome unsettled. */
async function run(id: string, cost: string | null): Promise<string> {
  const [started] = await startExecutions(db, [{ id, connection: 'sandbox', target: 'm' }], 30);
  const attemptId = started?.attemptId ?? '';
  const outcome: RecordedOutcome =
    cost === null
      ? { ok: false, code: 'GENERATION_FAILED', message: 'It failed.' }
      : { ok: true, output: {}, inputTokens: 1, outputTokens: 1, cost };
  await recordOutcomes(db, [{ attemptId, outcome, state: outcome.ok ? 'succeeded' : 'failed' }]);
  return attemptId;
}

/** The charges and write-offs. */
async function bills(...ids: string[]): Promise<(string | null)[][]> {
  const { rows } = await db.pool.query(
    'SELECT id, cost::float8 AS cost, written_off::float8 AS "writtenOff" FROM executions WHERE id = ANY ($1)',
    [ids],
  );
  return ids.map((id) => {
    const { cost, writtenOff } = rows.find((row) => row.id === id);
    return [cost, writtenOff];
  });
}

describe('a spend limit', () => {
  it('allows creates up to it and refuses the next one without a hold', async () => {
    await limitOrganization('1.80');
    await Promise.all([create(), create(), create()]);
    await expect(create()).rejects.toMatchObject(limitReached);
    expect([await spent(), await held()]).toEqual([1.8, 1.8]);
    await expect(create({ estimatedCost: '0.001' })).rejects.toMatchObject(limitReached);
  });

  it('is not exceeded by 50 concurrent creates from two processes', async () => {
    await limitOrganization('12.30');
    const results = await Promise.allSettled(
      Array.from({ length: 50 }, (_, index) => create({}, creators[index % 2 === 0 ? 0 : 1])),
    );
    const refused = results.filter((result) => result.status === 'rejected');
    expect(refused.map(({ reason }) => reason.code)).toEqual(Array(30).fill('SPEND_LIMIT_REACHED'));
    expect([await spent(), await held()]).toEqual([12, 12]);
  });

  it('counts the cost of a finished execution and no longer its hold', async () => {
    await setPolicy('charge');
    await limitOrganization('1.20');
    const [cheap, dear] = await Promise.all([create(), create()]);
    await finish(cheap, '0.1');
    expect(await spent()).toBe(0.7);
    await expect(create()).rejects.toMatchObject(limitReached);
    await create({ estimatedCost: '0.4' });
    await finish(dear, '0.9');
    expect(await spent()).toBe(1.48);
  });

  it.each([
    ['fails', (id: string) => finish(id, null)],
    ['is cancelled', (id: string) => cancelExecution(db, organizationId, id)],
  ])('does not count an execution that %s', async (_ending, ended) => {
    await limitOrganization('0.60');
    const id = await create();
    await expect(create()).rejects.toMatchObject(limitReached);
    await ended(id);
    expect(await spent()).toBe(0);
    await create();
  });

  it('applies for the key and for its organization', async () => {
    await limitOrganization('1.20');
    await limitKey(keyOf('a'), '0.60');
    await createAs('a');
    await expect(createAs('a')).rejects.toMatchObject(limitReached);
    const other = await createAs('b');
    await expect(createAs('b')).rejects.toMatchObject(limitReached);
    await finish(other, '0.1');
    expect([await spent(), await spent(keyOf('a'))]).toEqual([0.7, 0.6]);
    await expect(createAs('a')).rejects.toMatchObject(limitReached);
  });

  it('starts at zero each month, and endings of the last month do not change it', async () => {
    await limitOrganization('0.60');
    const old = await create();
    await db.pool.query(`UPDATE executions SET created_at = created_at - interval '40 days' WHERE id = $1`, [
      old,
    ]);
    await db.pool.query(
      `UPDATE spend_limits SET month = (month - interval '1 month')::date WHERE scope_id = $1`,
      [organizationId],
    );
    expect(await spent()).toBe(0);
    await create();
    expect(await spent()).toBe(0.6);
    await finish(old, '0.1');
    expect(await spent()).toBe(0.6);
    await expect(create()).rejects.toMatchObject(limitReached);
  });

  it('is not changed by a create that waited since the last month', async () => {
    await limitOrganization('1');
    await db.pool.query(
      `UPDATE spend_limits SET month = (month + interval '1 month')::date, spent = 0.7 WHERE scope_id = $1`,
      [organizationId],
    );
    await create();
    const { rows } = await db.pool.query(
      `SELECT month > now() AS "isLater", spent FROM spend_limits WHERE scope_id = $1`,
      [organizationId],
    );
    expect(rows).toEqual([{ isLater: true, spent: '0.70000000' }]);
  });

  it('does not refuse a repeat under a known idempotency key', async () => {
    const keyed = { idempotencyKey: 'one' };
    const id = await create(keyed);
    await limitOrganization('0');
    expect(await create(keyed)).toBe(id);
    await expect(create()).rejects.toMatchObject(limitReached);
  });

  it('limits nothing after it is removed', async () => {
    await limitOrganization('0');
    await expect(create()).rejects.toMatchObject(limitReached);
    await removeSpendLimit(db, organizationId);
    await create();
    expect(await getSpendLimits(db, [organizationId])).toEqual(new Map());
  });
});

describe('a spend limit with the policy cap', () => {
  beforeEach(async () => {
    await setPolicy('cap');
  });

  it('is not exceeded, and the rest of a cost is written off', async () => {
    await limitOrganization('1');
    const id = await create();
    await finish(id, '5');
    expect(await bills(id)).toEqual([[1, 4]]);
    expect(await spent()).toBe(1);
    expect(Number((await getBalance(db, organizationId))?.available)).toBe(99);
  });

  it('of a key caps that key only, and together with one of the organization the smaller remainder counts', async () => {
    await limitOrganization('3');
    await limitKey(keyOf('a'), '1');
    const [own, other] = [await createAs('a'), await createAs('b')];
    await finish(own, '5');
    await finish(other, '5');
    expect(await bills(own, other)).toEqual([
      [1, 4],
      [2, 3],
    ]);
    expect([await spent(), await spent(keyOf('a'))]).toEqual([3, 1]);
  });

  it('is shared by executions of one statement in order of their ids, after those that return money', async () => {
    await limitOrganization('3');
    await limitKey(keyOf('a'), '1.5');
    const ids = [await createAs('a'), await createAs('b'), await createAs('b'), await createAs('a')];
    const [first = '', second = '', third = '', fourth = ''] = ids;
    const attempts = [
      await run(fourth, '0.1'),
      await run(third, '2'),
      await run(second, '0.9'),
      await run(first, '2'),
    ];
    await completeExecutions(db, attempts);
    // The cheap one takes 0.1 of 3 and the other holds 1.8. The first gets 0.8 of the rest, by the limit of its key.
    expect(await bills(...ids)).toEqual([
      [1.4, 0.6],
      [0.9, null],
      [0.6, 1.4],
      [0.1, null],
    ]);
    expect([await spent(), await spent(keyOf('a'))]).toEqual([3, 1.5]);
  });

  it('charges the hold of an execution that was accepted before the limit was lowered', async () => {
    await limitOrganization('1');
    const id = await create();
    await limitOrganization('0.1');
    await finish(id, '0.7');
    expect(await bills(id)).toEqual([[0.6, 0.1]]);
    expect(await spent()).toBe(0.6);
  });

  it('charges at most the hold of an execution that ends in another month', async () => {
    await limitOrganization('100');
    const old = await create();
    await db.pool.query(`UPDATE executions SET created_at = created_at - interval '40 days' WHERE id = $1`, [
      old,
    ]);
    await limitOrganization('100');
    await finish(old, '0.7');
    expect(await bills(old)).toEqual([[0.6, 0.1]]);
    expect(await spent()).toBe(0);
  });

  it('caps nothing after it is removed', async () => {
    await limitOrganization('1');
    const id = await create();
    await removeSpendLimit(db, organizationId);
    await finish(id, '5');
    expect(await bills(id)).toEqual([[5, null]]);
  });

  it('is respected by concurrent settlements in two statements', async () => {
    await limitOrganization('20');
    const ids = await Promise.all(Array.from({ length: 24 }, () => create()));
    const attempts = await Promise.all(ids.map((id, index) => run(id, index % 3 === 0 ? '0.2' : '3')));
    const halves = [attempts.slice(0, 12), attempts.slice(12)];
    await Promise.all(halves.map((half) => completeExecutions(db, half)));
    expect(await spent()).toBe(20);
  });
});

describe('setting a limit', () => {
  it('counts the costs of this month and the holds of open executions', async () => {
    const [finished, failed, old] = [await createAs('a'), await createAs('a'), await createAs('a')];
    await createAs('b');
    await finish(finished, '0.2');
    await finish(failed, null);
    await finish(old, '0.3');
    await db.pool.query(`UPDATE executions SET created_at = created_at - interval '40 days' WHERE id = $1`, [
      old,
    ]);
    await limitOrganization('1');
    await limitKey(keyOf('a'), '1');
    await limitKey(keyOf('b'), '1');
    expect(await Promise.all([spent(), spent(keyOf('a')), spent(keyOf('b'))])).toEqual([0.8, 0.2, 0.6]);
    await expect(createAs('a')).rejects.toMatchObject(limitReached);
    await limitOrganization('2');
    await createAs('a');
    await limitOrganization('0.1');
    expect(await spent()).toBe(1.4);
    await expect(createAs('a')).rejects.toMatchObject(limitReached);
  });

  it('is refused for an unknown organization', async () => {
    await expect(
      setSpendLimit(db, { organizationId: 'org_none', apiKeyId: null, amount: '1' }),
    ).rejects.toThrow('no organization');
    expect((await getSpendLimits(db, ['org_none'])).size).toBe(0);
  });

  /** Runs both while a row that `first` needs is locked; the second waits behind the first. */
  async function meet(
    first: () => Promise<unknown>,
    second: () => Promise<unknown>,
    row = `balances WHERE organization_id = '${organizationId}'`,
  ): Promise<void> {
    const holder = await db.pool.connect();
    await holder.query('BEGIN');
    await holder.query(`SELECT FROM ${row} FOR UPDATE`);
    const waiting = async () =>
      Number(
        (
          await holder.query(
            `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
          )
        ).rows[0].count,
      );
    const before = await waiting();
    const one = first();
    await until('the first waits', async () => (await waiting()) > before);
    const other = second();
    await until('the second waits', async () => (await waiting()) > before + 1);
    await holder.query('COMMIT');
    holder.release();
    await Promise.all([one, other]);
  }

  it.each(['before', 'after'])(
    'counts a concurrent create and ending once, %s the limit was set',
    async (when) => {
      const set = () => limitOrganization('50');
      const ordered = async (other: () => Promise<unknown>) =>
        when === 'before' ? await meet(other, set) : await meet(set, other);
      await ordered(create);
      expect(await spent()).toBe(0.6);
      await removeSpendLimit(db, organizationId);
      const id = await create();
      await ordered(() => cancelExecution(db, organizationId, id));
      expect(await spent()).toBe(0.6);
    },
  );

  it('does not count an ending that started before the limit was set', async () => {
    const id = await create();
    await meet(
      () => cancelExecution(db, organizationId, id),
      () => limitOrganization('50'),
      `executions WHERE id = '${id}'`,
    );
    expect(await spent()).toBe(0);
  });

  it('is exact during creates and endings from two processes', async () => {
    for (let round = 0; round < 15; round += 1) {
      const toEnd = await Promise.all([create(), create(), create()]);
      await Promise.all([
        ...Array.from({ length: 8 }, (_, index) => create({}, creators[index % 2 === 0 ? 0 : 1])),
        limitOrganization('1000'),
        limitKey(keyOf('a'), '1000'),
        ...toEnd.map((id, index) => finish(id, index === 0 ? null : '0.1')),
      ]);
      const counted = [await spent(), await spent(keyOf('a'))];
      const { rows } = await db.pool.query(
        `SELECT sum(coalesce(cost, CASE WHEN completed_at IS NULL THEN hold_amount ELSE 0 END)) AS total
         FROM executions WHERE organization_id = $1`,
        [organizationId],
      );
      expect(counted).toEqual([Number(rows[0].total), Number(rows[0].total)]);
      await removeSpendLimit(db, organizationId);
      await removeSpendLimit(db, keyOf('a'));
    }
  });
});
