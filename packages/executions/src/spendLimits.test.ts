import { recordOutcomes } from '@holdfast/db/attempts/recordOutcomes';
import { auditLedger } from '@holdfast/db/audit/audit';
import { getBalance } from '@holdfast/db/balances/get';
import { cancelExecution } from '@holdfast/db/executions/cancel';
import { completeExecutions } from '@holdfast/db/executions/complete';
import { failExecutions } from '@holdfast/db/executions/fail';
import { startExecutions } from '@holdfast/db/executions/start';
import { getSpendLimits } from '@holdfast/db/spendLimits/get';
import { removeSpendLimit } from '@holdfast/db/spendLimits/remove';
import { setSpendLimit } from '@holdfast/db/spendLimits/set';
import type { RecordedOutcome } from '@holdfast/domain/outcome';
import { openTestDatabase } from '@holdfast/testkit/testDatabase';
import { createTestOrganization } from '@holdfast/testkit/testOrganization';
import { until } from '@holdfast/testkit/until';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type CreateRequest, openCreator } from './create.ts';
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

const limitOrganization = (amount: string) => setSpendLimit(db, { organizationId, apiKeyId: null, amount });
const limitKey = (apiKeyId: string, amount: string) =>
  setSpendLimit(db, { organizationId, apiKeyId, amount });
const spent = async (scopeId = organizationId) =>
  Number((await getSpendLimits(db, [scopeId])).get(scopeId)?.spent);
const held = async () => Number((await getBalance(db, organizationId))?.held);
/** Keys are of one organization: another test's are others. */
const keyOf = (name: string) => `key_${name}_${organizationId}`;

/** Its hold is 0.6. */
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

/** Runs it to its end: with a cost it succeeds. */
async function end(id: string, cost: string | null): Promise<void> {
  const [started] = await startExecutions(db, [{ id, connection: 'sandbox', target: 'm' }], 30);
  const attemptId = started?.attemptId ?? '';
  const outcome: RecordedOutcome =
    cost === null
      ? { ok: false, code: 'GENERATION_FAILED', message: 'It failed.' }
      : { ok: true, output: {}, inputTokens: 1, outputTokens: 1, cost };
  await recordOutcomes(db, [{ attemptId, outcome, state: outcome.ok ? 'succeeded' : 'failed' }]);
  await (outcome.ok ? completeExecutions : failExecutions)(db, [attemptId]);
}

describe('a spend limit', () => {
  it('lets creates pass up to it; the next is refused, and nothing is held for it', async () => {
    await limitOrganization('1.80');
    await Promise.all([create(), create(), create()]);
    await expect(create()).rejects.toMatchObject(limitReached);
    expect([await spent(), await held()]).toEqual([1.8, 1.8]);
    await expect(create({ estimatedCost: '0.001' })).rejects.toMatchObject(limitReached);
  });

  it('is not passed by 50 creates at once from two processes', async () => {
    await limitOrganization('12.30');
    const results = await Promise.allSettled(
      Array.from({ length: 50 }, (_, index) => create({}, creators[index % 2 === 0 ? 0 : 1])),
    );
    const refused = results.filter((result) => result.status === 'rejected');
    expect(refused.map(({ reason }) => reason.code)).toEqual(Array(30).fill('SPEND_LIMIT_REACHED'));
    expect([await spent(), await held()]).toEqual([12, 12]);
  });

  it('counts what a finished execution cost: the rest of its hold is free again', async () => {
    await limitOrganization('1.20');
    const [cheap, dear] = await Promise.all([create(), create()]);
    await end(cheap, '0.1');
    expect(await spent()).toBe(0.7);
    await expect(create()).rejects.toMatchObject(limitReached);
    await create({ estimatedCost: '0.4' });
    await end(dear, '0.9');
    expect(await spent()).toBe(1.48);
  });

  it.each([
    ['fails', (id: string) => end(id, null)],
    ['is cancelled', (id: string) => cancelExecution(db, organizationId, id)],
  ])('does not count what %s', async (_ending, ended) => {
    await limitOrganization('0.60');
    const id = await create();
    await expect(create()).rejects.toMatchObject(limitReached);
    await ended(id);
    expect(await spent()).toBe(0);
    await create();
  });

  it('of a key and of its organization both hold', async () => {
    await limitOrganization('1.20');
    await limitKey(keyOf('a'), '0.60');
    await createAs('a');
    await expect(createAs('a')).rejects.toMatchObject(limitReached);
    const other = await createAs('b');
    await expect(createAs('b')).rejects.toMatchObject(limitReached);
    await end(other, '0.1');
    expect([await spent(), await spent(keyOf('a'))]).toEqual([0.7, 0.6]);
    await expect(createAs('a')).rejects.toMatchObject(limitReached);
  });

  it('starts anew with the month; what was spent in the last one ends without a trace', async () => {
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
    await end(old, '0.1');
    expect(await spent()).toBe(0.6);
    await expect(create()).rejects.toMatchObject(limitReached);
  });

  it('is left alone by a create that waited since the month before', async () => {
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

  it('answers a repeat under an idempotency key as before', async () => {
    const keyed = { idempotencyKey: 'one' };
    const id = await create(keyed);
    await limitOrganization('0');
    expect(await create(keyed)).toBe(id);
    await expect(create()).rejects.toMatchObject(limitReached);
  });

  it('that was removed limits nothing', async () => {
    await limitOrganization('0');
    await expect(create()).rejects.toMatchObject(limitReached);
    await removeSpendLimit(db, organizationId);
    await create();
    expect(await getSpendLimits(db, [organizationId])).toEqual(new Map());
  });
});

describe('setting a limit', () => {
  it('counts what was spent in this month: costs, and holds of what is open', async () => {
    const [finished, failed, old] = [await createAs('a'), await createAs('a'), await createAs('a')];
    await createAs('b');
    await end(finished, '0.2');
    await end(failed, null);
    await end(old, '0.3');
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

  it('is refused for an organization that is none', async () => {
    await expect(
      setSpendLimit(db, { organizationId: 'org_none', apiKeyId: null, amount: '1' }),
    ).rejects.toThrow('no organization');
    expect((await getSpendLimits(db, ['org_none'])).size).toBe(0);
  });

  /** Both begin while somebody holds a row that `first`, at least, waits for; the second waits behind them. */
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
        (await holder.query(`SELECT count(*) FROM pg_locks WHERE NOT granted AND pid <> pg_backend_pid()`))
          .rows[0].count,
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
    'counts what is created and ended meanwhile once, %s it was counted',
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

  it('counts nothing of an ending that began before there was a limit, and is done after', async () => {
    const id = await create();
    await meet(
      () => cancelExecution(db, organizationId, id),
      () => limitOrganization('50'),
      `executions WHERE id = '${id}'`,
    );
    expect(await spent()).toBe(0);
  });

  it('amid creates and endings from two processes is exact', async () => {
    for (let round = 0; round < 15; round += 1) {
      const toEnd = await Promise.all([create(), create(), create()]);
      await Promise.all([
        ...Array.from({ length: 8 }, (_, index) => create({}, creators[index % 2 === 0 ? 0 : 1])),
        limitOrganization('1000'),
        limitKey(keyOf('a'), '1000'),
        ...toEnd.map((id, index) => end(id, index === 0 ? null : '0.1')),
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
