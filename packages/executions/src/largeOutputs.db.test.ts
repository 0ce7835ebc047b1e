import { type EndedAttempt, recordOutcomes } from '@holdfast/db/attempts/outcomes';
import { auditLedger } from '@holdfast/db/audit/audit';
import { openDatabase } from '@holdfast/db/client';
import { cancelExecution, completeExecutions, failExecutions } from '@holdfast/db/executions/endings';
import { getExecution, getExecutionWithAttempts } from '@holdfast/db/executions/read';
import { startExecutions } from '@holdfast/db/executions/start';
import type { Role } from '@holdfast/db/roles/rights';
import { unsettledAttempts } from '@holdfast/db/sweeps';
import { newId } from '@holdfast/domain/ids';
import type { RecordedOutcome } from '@holdfast/domain/outcome';
import { createTestOrganization, insertTestExecution } from '@holdfast/testkit/testData';
import { asRole, openTestDatabase } from '@holdfast/testkit/testDatabase';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { erase } from './lifecycle.ts';

const { db, url, close } = await openTestDatabase();
const open = (role: Role) => openDatabase({ url: asRole(url, role), poolSize: 2, applicationName: 'test' });
const dispatcher = open('holdfast_dispatcher');
const ledger = open('holdfast_ledger');
const gateway = open('holdfast_gateway');
let organizationId: string;

beforeAll(async () => {
  organizationId = await createTestOrganization(db, '1000');
});

afterAll(async () => {
  expect(await auditLedger(db)).toEqual([]);
  await Promise.all([dispatcher, ledger, gateway].map((login) => login.close()));
  await close();
});

const large = 'word '.repeat(100_000);

const success = (text: string, cost = '0.2'): RecordedOutcome => ({
  ok: true,
  output: { text },
  inputTokens: 1,
  outputTokens: 2,
  cost,
});

async function started(): Promise<{ id: string; attemptId: string }> {
  const id = await insertTestExecution(db, { id: newId('exec'), organizationId });
  const [run] = await startExecutions(dispatcher, [{ id, connection: 'sandbox', target: 'm' }], 30);
  if (!run) throw new Error('not started');
  return { id, attemptId: run.attemptId };
}

async function recorded(outcome: RecordedOutcome) {
  const run = await started();
  const item: EndedAttempt = { attemptId: run.attemptId, outcome, state: 'succeeded' };
  expect(await recordOutcomes(dispatcher, [item])).toEqual([run.attemptId]);
  return run;
}

type Stored = { outcome: Record<string, unknown>; bytes: number | null };

async function stored(attemptId: string): Promise<Stored | undefined> {
  const { rows } = await db.pool.query<Stored>(
    'SELECT outcome, octet_length(output::text) AS bytes FROM attempts WHERE id = $1',
    [attemptId],
  );
  return rows[0];
}

describe('a large output', () => {
  it('is stored beside its outcome, and with its execution alone once it is settled', async () => {
    const { id, attemptId } = await recorded(success(large));
    const outcome = { inputTokens: 1, outputTokens: 2, cost: '0.2' };
    expect(await stored(attemptId)).toEqual({ outcome, bytes: JSON.stringify({ text: large }).length });

    await completeExecutions(ledger, [attemptId]);
    expect(await getExecution(gateway, organizationId, id)).toMatchObject({
      status: 'COMPLETED',
      output: { text: large },
      outputTokens: 2,
    });
    expect(await stored(attemptId)).toEqual({ outcome: { ok: true, ...outcome }, bytes: null });
    expect((await getExecutionWithAttempts(gateway, id))?.attempts).toMatchObject([
      { ok: true, cost: '0.2' },
    ]);
  });

  it.each(['0.3', '5'])('is settled in a batch with a small one, also when it costs %s', async (cost) => {
    const runs = [await recorded(success(large, cost)), await recorded(success('small'))];
    const ended = await completeExecutions(
      ledger,
      runs.map(({ attemptId }) => attemptId),
    );
    expect(ended).toHaveLength(2);
    const outputs = await Promise.all(runs.map(({ id }) => getExecution(gateway, organizationId, id)));
    expect(outputs.map((execution) => execution?.output)).toEqual([{ text: large }, { text: 'small' }]);
  });

  it('is found by the sweep as a success, and never settled as a failure', async () => {
    const { id, attemptId } = await recorded(success(large));
    const found = await unsettledAttempts(ledger, 0);
    expect(found).toContainEqual(expect.objectContaining({ attemptId, ok: true }));
    expect(await failExecutions(ledger, [attemptId])).toEqual([]);
    await completeExecutions(ledger, [attemptId]);
    expect(await getExecution(gateway, organizationId, id)).toMatchObject({ status: 'COMPLETED' });
  });

  it('has no `ok` until it is settled, by which the previous version would settle it without the output', async () => {
    const { attemptId } = await recorded(success(large));
    expect((await stored(attemptId))?.outcome).not.toHaveProperty('ok');
    await completeExecutions(ledger, [attemptId]);
  });

  it('keeps its characters but those that PostgreSQL cannot store', async () => {
    const { id, attemptId } = await recorded(success(`${large}\0\\u0000"\n\uD800é`));
    await completeExecutions(ledger, [attemptId]);
    const text = `${large}\uFFFD\\u0000"\n\uFFFDé`;
    expect(await getExecution(gateway, organizationId, id)).toMatchObject({ output: { text } });
  });

  it('of a cancelled execution is dropped when it is settled', async () => {
    const { id, attemptId } = await recorded(success(large));
    await cancelExecution(gateway, organizationId, id);
    expect(await completeExecutions(ledger, [attemptId])).toEqual([]);
    expect(await stored(attemptId)).toMatchObject({ outcome: { ok: true }, bytes: null });
    expect(await getExecution(gateway, organizationId, id)).toMatchObject({
      status: 'CANCELLED',
      output: null,
    });
  });

  it('is erased before and after it was recorded', async () => {
    const [before, after] = [await recorded(success(large)), await started()];
    for (const { id } of [before, after]) {
      await cancelExecution(gateway, organizationId, id);
      await erase(gateway, organizationId, id);
    }
    const late: EndedAttempt = { attemptId: after.attemptId, outcome: success(large), state: 'succeeded' };
    await recordOutcomes(dispatcher, [late]);
    for (const { attemptId } of [before, after]) {
      const outcome = { ok: true, inputTokens: 1, outputTokens: 2, cost: '0.2' };
      expect(await stored(attemptId)).toEqual({ outcome, bytes: null });
    }
  });
});
