import { newId } from '@holdfast/domain/ids';
import { createTestOrganization, insertTestExecution } from '@holdfast/testkit/testData';
import { asRole, openTestDatabase, rolePasswords } from '@holdfast/testkit/testDatabase';
import { until } from '@holdfast/testkit/until';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { recordOutcomes } from './attempts/outcomes.ts';
import { auditLedger } from './audit/audit.ts';
import { getBalance } from './balances.ts';
import { type Database, openDatabase } from './client.ts';
import { cancelExecution, completeExecutions, expireExecutions } from './executions/endings.ts';
import { eraseExecution } from './executions/erase.ts';
import { getExecution } from './executions/read.ts';
import { startExecutions } from './executions/start.ts';
import { getFiles, insertOutput, keepOutputs, listFilesOfExecution, listRemovableFiles } from './files.ts';
import { updateOrganization } from './organizations.ts';
import { applyRoles } from './roles/roles.ts';
import {
  clearStreams,
  readStreams,
  type StreamEvent,
  streamAllowance,
  takeStream,
  writeStreamEvents,
} from './streams.ts';

const { db: owner, url, close } = await openTestDatabase(4);
const open = (role: Parameters<typeof asRole>[1]) =>
  openDatabase({ url: asRole(url, role), poolSize: 4, applicationName: 'test' });
let gateway: Database;
let dispatcher: Database;
let ledger: Database;
let organizationId: string;

beforeAll(async () => {
  await applyRoles(url, rolePasswords);
  [gateway, dispatcher, ledger] = [
    open('holdfast_gateway'),
    open('holdfast_dispatcher'),
    open('holdfast_ledger'),
  ];
});
afterAll(async () => {
  await Promise.all([gateway, dispatcher, ledger].map((db) => db.close()));
  await close();
});
beforeEach(async () => {
  organizationId = await createTestOrganization(owner, '10');
});

const output = (delta: string): StreamEvent => ({ type: 'output', data: JSON.stringify({ delta }) });

/** A started execution with a hold of 1, its attempt, and a function that shows text for this price. */
async function streamed(onCancel: 'release' | 'charge' | null) {
  const id = await insertTestExecution(gateway, {
    organizationId,
    holdAmount: '1',
    estimatedCost: '0.8',
    onCancel,
  });
  const [started] = await startExecutions(dispatcher, [{ id, connection: 'a', target: 'm' }], 30);
  if (!started) throw new Error('not started');
  let eventsBefore = 0;
  const show = async (text: string, cost: string, claim = { attempt: 1, claims: 0 }) => {
    const write = {
      executionId: id,
      ...claim,
      eventsBefore,
      events: [output(text)],
      cost,
      inputTokens: 2,
      outputTokens: 3,
    };
    const written = await writeStreamEvents(dispatcher, [write]);
    eventsBefore += written.length;
    return written.length === 1;
  };
  const take = (claim = { attempt: 1, claims: 0 }) =>
    takeStream(dispatcher, { executionId: id, ...claim }, 'text');
  return { id, attemptId: started.attemptId, show, take, isStreamed: started.isStreamed };
}

const balance = () => getBalance(owner, organizationId);
const cancel = (id: string) => cancelExecution(gateway, organizationId, id);
const breaches = async () =>
  (await auditLedger(owner)).filter(({ id }) => id === organizationId || id.startsWith('exec_'));

describe('a stream', () => {
  it('has its events in order, from any position on', async () => {
    const { id, show, take, isStreamed } = await streamed('release');
    expect(isStreamed).toBe(true);
    expect(await take()).toEqual({ events: 0, shownBy: null, hold: '1.00000000' });
    for (const text of ['one', 'two', 'three']) expect(await show(text, '0.1')).toBe(true);
    const [page, late] = await readStreams(gateway, [
      { id, after: 1 },
      { id, after: 3 },
    ]);
    expect(page).toMatchObject({
      hasEnded: false,
      total: 3,
      events: [
        { number: 2, ...output('two') },
        { number: 3, ...output('three') },
      ],
    });
    expect(late?.events).toEqual([]);
  });

  it('is read 64 KB at a time, and a larger event alone', async () => {
    const { id, show, take } = await streamed('release');
    await take();
    const sizes = [40_000, 40_000, 40_000, 300_000, 1];
    for (const size of sizes) expect(await show('x'.repeat(size), '0.1')).toBe(true);
    const pages = await readStreams(
      gateway,
      [0, 2, 3].map((after) => ({ id, after })),
    );
    expect(pages.map((page) => page?.events.map(({ number }) => number))).toEqual([[1, 2], [3, 4], [4]]);
  });

  it('is written by its last claim alone, and each write once', async () => {
    const { id, show, take } = await streamed('release');
    await take();
    expect(await show('first', '0.1')).toBe(true);
    const repeated = {
      executionId: id,
      attempt: 1,
      claims: 0,
      eventsBefore: 0,
      events: [output('first')],
      cost: '0',
      inputTokens: 0,
      outputTokens: 0,
    };
    expect(await writeStreamEvents(dispatcher, [repeated])).toEqual([]);
    expect(await take({ attempt: 1, claims: 1 })).toMatchObject({ events: 1, shownBy: 1 });
    expect(await take()).toBeNull();
    expect(await show('from the dispatcher that lost its lease', '0.1')).toBe(false);
    expect(await show('second', '0.1', { attempt: 1, claims: 1 })).toBe(true);
    expect((await readStreams(gateway, [{ id, after: 0 }]))[0]?.events).toHaveLength(2);
  });

  it('shows nothing after the end, however its execution ends', async () => {
    for (const end of ['cancel', 'expire', 'complete'] as const) {
      const { id, attemptId, show, take } = await streamed('release');
      await take();
      await show('text', '0.1');
      if (end === 'cancel') await cancel(id);
      if (end === 'expire') {
        await owner.pool.query(`UPDATE executions SET expires_at = now() - interval '1 s' WHERE id = $1`, [
          id,
        ]);
        await expireExecutions(ledger, 10);
      }
      if (end === 'complete') {
        const outcome = {
          ok: true,
          output: { text: 'text' },
          inputTokens: 2,
          outputTokens: 3,
          cost: '0.1',
          finishReason: 'stop',
        } as const;
        await recordOutcomes(dispatcher, [{ attemptId, state: 'succeeded', outcome }]);
        await completeExecutions(ledger, [attemptId]);
        expect(await getExecution(gateway, organizationId, id)).toMatchObject({ finishReason: 'stop' });
      }
      expect(await show('late', '0.2')).toBe(false);
      expect(await take()).toBeNull();
      expect((await readStreams(gateway, [{ id, after: 0 }]))[0]).toMatchObject({ hasEnded: true, total: 1 });
      const { partialOutput } = (await getExecution(gateway, organizationId, id)) ?? {};
      expect(partialOutput).toBe(end === 'complete' ? null : 'text');
    }
    expect(await breaches()).toEqual([]);
  });

  it('loses its events after its retention, and keeps the text of an execution that did not complete', async () => {
    const { id, show, take } = await streamed('release');
    await take();
    await show('once ', '0.1');
    await show('upon', '0.1');
    await cancel(id);
    expect(await clearStreams(dispatcher, 3600, 100)).toBe(0);
    await owner.pool.query(
      `UPDATE streams SET closed_at = closed_at - interval '2 h' WHERE execution_id = $1`,
      [id],
    );
    expect(await clearStreams(dispatcher, 3600, 100)).toBe(1);
    expect(await readStreams(gateway, [{ id, after: 1 }])).toMatchObject([
      { total: 2, isCleared: true, events: [] },
    ]);
    expect(await getExecution(gateway, organizationId, id)).toMatchObject({ partialOutput: 'once upon' });
    await eraseExecution(gateway, organizationId, id);
    expect(await getExecution(gateway, organizationId, id)).toMatchObject({ partialOutput: null });
    expect(await breaches()).toEqual([]);
  });

  it('can be erased while it is cleared', async () => {
    const { id, show, take } = await streamed('charge');
    await take();
    await show('once', '0.1');
    await cancel(id);
    const clearing = await owner.pool.connect();
    await clearing.query('BEGIN');
    await clearing.query('SELECT FROM streams WHERE execution_id = $1 FOR UPDATE', [id]);
    const erasing = eraseExecution(gateway, organizationId, id);
    const blocked = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    await until('it waits', async () => (await owner.pool.query(blocked)).rowCount);
    await clearing.query('DELETE FROM stream_events WHERE execution_id = $1', [id]);
    await clearing.query('COMMIT');
    clearing.release();
    expect(await erasing).toBe(true);
    expect(await readStreams(gateway, [{ id, after: 0 }])).toMatchObject([
      { total: 1, isCleared: true, events: [] },
    ]);
  });

  it('takes its partial images with it, those too that were never shown, and leaves the outputs', async () => {
    const { id, take } = await streamed('charge');
    await take();
    const file = { organizationId, executionId: id, key: id, filename: 'a.png', contentType: 'image/png' };
    const [partial, output] = [newId('file'), newId('file')];
    await insertOutput(dispatcher, { ...file, id: partial, partialForS: 3600 });
    await insertOutput(dispatcher, { ...file, id: output });
    await keepOutputs(dispatcher, [output]);
    const expiry = `SELECT f.expires_at > e.expires_at + interval '1 h' AS is_later FROM files f, executions e
      WHERE f.id = $1 AND e.id = $2`;
    expect((await owner.pool.query(expiry, [partial, id])).rows).toEqual([{ is_later: true }]);
    expect((await listFilesOfExecution(gateway, id)).map((one) => one.id)).toEqual([output]);
    await cancel(id);
    expect(await clearStreams(dispatcher, -1, 100)).toBeGreaterThan(0);
    expect((await listRemovableFiles(dispatcher, 100)).map((one) => one.id)).toContain(partial);
    expect((await getFiles(gateway, organizationId, [partial, output])).map((one) => one.id)).toEqual([
      output,
    ]);
  });

  it('is not there for an execution that is not streamed', async () => {
    const { id, take } = await streamed(null);
    expect(await take()).toBeNull();
    expect(await readStreams(gateway, [{ id, after: 0 }])).toMatchObject([{ total: null, hasEnded: false }]);
    expect(await readStreams(gateway, [{ id: newId('exec'), after: 0 }])).toEqual([null]);
  });
});

describe('the cancel of a stream', () => {
  it.each([
    ['charges what was shown', 'charge', '0.7', '9.30000000', '0.70000000'],
    ['charges at most the hold', 'charge', '3', '9.00000000', '1.00000000'],
    ['is free before anything was shown', 'charge', null, '10.00000000', null],
    ['is free with `release`', 'release', '0.7', '10.00000000', null],
  ] as const)('%s', async (_what, onCancel, shown, available, cost) => {
    const { id, show, take } = await streamed(onCancel);
    await take();
    if (shown) await show('text', shown);
    await cancel(id);
    expect(await balance()).toEqual({ available, held: '0.00000000' });
    const execution = await getExecution(gateway, organizationId, id);
    expect(execution).toMatchObject({ status: 'CANCELLED', cost, outputTokens: cost && 3 });
    expect(execution?.billed ?? null).toEqual(cost && { usage_estimated: true });
    expect(await cancel(id)).toBeNull();
    expect(await breaches()).toEqual([]);
  });

  it('charges every text that was shown, whenever it comes', async () => {
    for (let round = 0; round < 20; round++) {
      const { id, show, take } = await streamed('charge');
      await take();
      const shown = (async () => {
        let price = 0;
        while (await show('x', String((price + 1) / 100))) price += 1;
        return price;
      })();
      const cancelled = (async () => {
        await owner.pool.query('SELECT pg_sleep($1)', [(round % 5) / 400]);
        await cancel(id);
      })();
      const [price] = await Promise.all([shown, cancelled]);
      const { cost } = (await getExecution(gateway, organizationId, id)) ?? {};
      expect(Number(cost ?? 0)).toBe(Math.min(price / 100, 1));
    }
    expect(await breaches()).toEqual([]);
  });

  it('is the only charge that the gateway may write', async () => {
    const { id } = await streamed('release');
    const settle = `INSERT INTO transfers (organization_id, sequence, kind, debit_account, credit_account, amount,
      available_after, held_after, execution_id) VALUES ($1, 3, 'settle', 'held', 'revenue', 1, 9, 0, $2)`;
    await expect(gateway.pool.query(settle, [organizationId, id])).rejects.toThrow('row-level security');
  });
});

it('streams may cost their holds and their shares of what is left under `cap`, and ten times their holds under `charge`', async () => {
  const { id } = await streamed('charge');
  await updateOrganization(owner, organizationId, { overage: 'charge', spendLimitOverage: 'charge' });
  expect(Number(await streamAllowance(dispatcher, id))).toBe(10);
  await updateOrganization(owner, organizationId, { overage: 'cap' });
  expect(Number(await streamAllowance(dispatcher, id))).toBe(10);
  const second = await streamed('charge');
  for (const one of [id, second.id]) expect(Number(await streamAllowance(dispatcher, one))).toBe(5);
});
