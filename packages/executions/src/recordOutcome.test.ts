import { completeExecutions, failExecutions } from '@holdfast/db/executions/endings';
import { getExecution } from '@holdfast/db/executions/read';
import { startExecutions } from '@holdfast/db/executions/start';
import { unsettledAttempts } from '@holdfast/db/sweeps';
import type { RecordedOutcome } from '@holdfast/domain/outcome';
import { createLogger } from '@holdfast/kit/logger';
import { openTestDatabase } from '@holdfast/testkit/testDatabase';
import { createTestOrganization } from '@holdfast/testkit/testOrganization';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openCreator } from './create.ts';
import { openOutcomeRecorder } from './recordOutcome.ts';
import { nowhere } from './testing/nowhere.ts';

const { db, close } = await openTestDatabase(4);
let organizationId: string;

beforeAll(async () => {
  organizationId = await createTestOrganization(db, '100');
});

afterAll(close);

async function started(): Promise<{ id: string; attemptId: string }> {
  const { record } = await openCreator({ db, dispatch: nowhere }).create({
    organizationId,
    apiKeyId: 'key_test',
    idempotencyKey: null,
    requestHash: 'a hash',
    model: 'a-model',
    input: {},
    metadata: null,
    webhookUrl: null,
    estimatedCost: '0.50000000',
    timeoutS: 600,
  });
  const [run] = await startExecutions(db, [{ id: record.id, connection: 'sandbox', target: 'm' }], 30);
  if (!run) throw new Error('not started');
  return run;
}

/** Records beside a run that is well, settles both, and answers both executions. */
async function settled(outcome: RecordedOutcome) {
  const [odd, well] = [await started(), await started()];
  const recorder = openOutcomeRecorder({ db, settle: nowhere, log: createLogger('test', 'silent') });
  await Promise.all([
    recorder.record(odd.attemptId, outcome, outcome.ok ? 'succeeded' : 'failed'),
    recorder.record(well.attemptId, success({}), 'succeeded'),
  ]);
  await unsettledAttempts(db, 0);
  const attemptIds = [odd.attemptId, well.attemptId];
  await completeExecutions(db, attemptIds);
  await failExecutions(db, attemptIds);
  expect(await getExecution(db, organizationId, well.id)).toMatchObject({ status: 'COMPLETED' });
  return await getExecution(db, organizationId, odd.id);
}

function success(change: Partial<Extract<RecordedOutcome, { ok: true }>>): RecordedOutcome {
  return { ok: true, output: { text: 'hi' }, inputTokens: 1, outputTokens: 2, cost: '0.1', ...change };
}

describe('an outcome that Postgres could not read again', () => {
  it('is settled all the same: NUL and lone surrogates in an output are replaced', async () => {
    const execution = await settled(success({ output: { 'a\0': ['b\0c', 'd\uD800'] } }));
    expect(execution).toMatchObject({ status: 'COMPLETED', output: { 'a\uFFFD': ['b\uFFFDc', 'd\uFFFD'] } });
  });

  it('is settled all the same: NUL in an error message is replaced, and the message is cut', async () => {
    const message = `\0${'x'.repeat(100_000)}`;
    const execution = await settled({ ok: false, code: 'GENERATION_FAILED', message });
    expect(execution).toMatchObject({ status: 'FAILED', errorMessage: `\uFFFD${'x'.repeat(1999)}` });
  });

  it('is settled all the same: more tokens than an integer holds', async () => {
    const execution = await settled(success({ inputTokens: 1e300, outputTokens: 3e9 }));
    expect(execution).toMatchObject({ inputTokens: 2_147_483_647, outputTokens: 2_147_483_647 });
  });

  it.each(['1e300', '99999999999999999999.00000000', '1000000000.00000001', 'NaN', '-1'])(
    'is a failure, and nothing is charged, when it costs %s',
    async (cost) => {
      expect(await settled(success({ cost }))).toMatchObject({ status: 'FAILED', cost: null });
    },
  );

  it('is a failure when it is larger, or nested deeper, than can be kept', async () => {
    const deep = JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`) as unknown;
    expect(await settled(success({ output: { deep } }))).toMatchObject({ status: 'FAILED' });
    expect(await settled(success({ output: { text: 'x'.repeat(4_194_304) } }))).toMatchObject({
      status: 'FAILED',
    });
  });
});
