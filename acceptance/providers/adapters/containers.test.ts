import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { onePixel } from '@holdfast/providers/fal/testing/fixtures';
import type { Customer } from '@holdfast/testkit/testData';
import { testFolder } from '@holdfast/testkit/testFolder';
import { until } from '@holdfast/testkit/until';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { create, untilStatus } from '../../stack/executions.ts';
import { startHosted } from './hosted.ts';
import { expectEndedOnce, newCustomer } from './ledgerChecks.ts';
import { at, painter, writer } from './models.ts';

const folder = testFolder('files');
const lines: Record<string, unknown>[] = [];

let customer: Customer;

const models = [
  painter('drawing', [at.first('callback')]),
  writer('writing', [at.first('callback')], { show_to_clients: ['logs'] }),
  writer('writing-somewhere', [at.first('callback'), at.second('callback')]),
];
const hosted = await startHosted(models, { LOG_LEVEL: 'info', FILE_DISK_PATH: folder }, (line) =>
  lines.push(JSON.parse(line)),
);

beforeEach(async () => {
  customer = await newCustomer(hosted.stack);
  hosted.first.plan({
    submit: 'accept',
    endsAfterMs: null,
    callsBack: true,
    ends: { output: ['hel', 'lo'] },
  });
});
afterEach(() => hosted.first.restart());

const attemptsOf = (id: string) =>
  hosted.stack.db.prisma.attempt.findMany({ where: { executionId: id }, orderBy: { number: 'asc' } });
const statesOf = async (id: string) => (await attemptsOf(id)).map(({ state }) => state);
const accepted = () => hosted.first.accepted();

/** An execution that its container is at. */
async function begun(model = 'writing') {
  const before = accepted().length;
  const id = await create(customer.api, model, { prompt: 'a' });
  await untilStatus(customer.api, id, 'AWAITING_WEBHOOK');
  expect(accepted()).toHaveLength(before + 1);
  return { id, run: accepted().at(-1) ?? '', before };
}

/** Polls an execution's run now instead of in a few seconds. */
const askNow = (id: string, handle?: Record<string, string>) =>
  hosted.stack.db.prisma.attempt.updateMany({
    where: { executionId: id, finishedAt: null },
    data: { pollAt: new Date(0), ...(handle && { handle }) },
  });

describe('a run at a container', () => {
  it('is recovered and started once when the response to its submit was lost', async () => {
    hosted.first.plan({ submit: 'accept, then reset' });
    const { id, run, before } = await begun();
    await hosted.first.finish(run);
    await untilStatus(customer.api, id, 'COMPLETED');
    await expectEndedOnce(hosted.stack, customer, id);
    expect(accepted()).toHaveLength(before + 1);
  });

  it('shows its progress and its log while it runs', async () => {
    const { id, run } = await begun();
    await askNow(id);
    const record = async () => (await customer.api.get(`/v1/executions/${id}`)).body;
    await until('its progress is shown', async () => (await record())['progress'] === 0.5);
    expect((await record())['logs']).toContain('5/10');
    await hosted.first.finish(run);
    await untilStatus(customer.api, id, 'COMPLETED');
  });

  it('is submitted again when its container has restarted, and is charged once', async () => {
    const { id, before } = await begun();
    hosted.first.restart();
    hosted.first.plan({ endsAfterMs: 0 });
    await askNow(id);
    await untilStatus(customer.api, id, 'COMPLETED');
    await expectEndedOnce(hosted.stack, customer, id);
    expect(await statesOf(id)).toEqual(['refused', 'succeeded']);
    expect(accepted()).toHaveLength(before + 2);
  });

  it('is submitted again when its container restarts before it responds to the submit', async () => {
    hosted.first.plan({ submit: 'accept, then silence' });
    const before = accepted().length;
    const id = await create(customer.api, 'writing', { prompt: 'a' });
    await until('the container has it', () => accepted().length > before);
    hosted.first.plan({ submit: 'accept', endsAfterMs: 0 });
    hosted.first.restart();
    await untilStatus(customer.api, id, 'COMPLETED');
    await expectEndedOnce(hosted.stack, customer, id);
    expect(await statesOf(id)).toEqual(['refused', 'succeeded']);
  });

  it('is submitted again if its callback never arrives, is charged once, and the operator is alerted', async () => {
    const { id, run, before } = await begun();
    hosted.first.plan({ endsAfterMs: 0 });
    const [attempt] = await attemptsOf(id);
    hosted.first.prediction(run).plan.callsBack = false;
    await hosted.first.finish(run);
    const handle = attempt?.handle as Record<string, string>;
    await askNow(id, { ...handle, missingSince: String(Date.now() - 180_000) });
    await untilStatus(customer.api, id, 'COMPLETED');
    await expectEndedOnce(hosted.stack, customer, id);
    expect(accepted()).toHaveLength(before + 2);
    expect(lines).toContainEqual(
      expect.objectContaining({ executionId: id, alert: expect.stringContaining('CALLBACK_URL') }),
    );
  });
});

describe('a run with a callback of 12 MiB', () => {
  const image = Buffer.concat([onePixel, Buffer.alloc(9 * 1024 * 1024)]);
  const output = [`data:image/png;base64,${image.toString('base64')}`];
  const callbacksOf = async (id: string) => {
    const [attempt] = await attemptsOf(id);
    return await hosted.stack.db.prisma.providerCallback.findMany({ where: { token: attempt?.token ?? '' } });
  };

  it('completes once, starts once, and leaves no part of the callback in the store', async () => {
    hosted.first.plan({ ends: { output } });
    const { id, run, before } = await begun('drawing');
    expect(await hosted.first.finish(run)).toEqual([200]);
    await untilStatus(customer.api, id, 'COMPLETED');
    const { result } = await expectEndedOnce(hosted.stack, customer, id);
    expect(result).toMatchObject({ images: [{ format: 'png', width: 1 }] });
    expect(accepted()).toHaveLength(before + 1);
    await until('the callback is processed', async () => (await callbacksOf(id))[0]?.processedAt !== null);
    const [callback, ...others] = await callbacksOf(id);
    expect(others).toEqual([]);
    const isThere = () => existsSync(join(folder, callback?.objectKey ?? 'missing'));
    await until('its object is removed', () => !isThere());
    const files = await hosted.stack.db.prisma.file.findMany({ where: { executionId: id } });
    expect(files.map(({ state }) => state).toSorted()).toEqual(['deleted', 'ready']);
    const alerts = lines.filter(
      ({ msg, executionId }) => msg === 'large callback received' && executionId === id,
    );
    expect(alerts).toHaveLength(1);
  });

  it('stays cancelled if it was cancelled before, and leaves no part of the callback in the store', async () => {
    const { id, run } = await begun('drawing');
    const { token } = (await attemptsOf(id))[0] ?? { token: '' };
    await customer.api.post(`/v1/executions/${id}/cancel`);
    const body = JSON.stringify({ id: run, status: 'succeeded', output });
    const response = await fetch(`${hosted.stack.baseUrl}/v1/callbacks/first/${token}`, {
      method: 'POST',
      body,
    });
    expect(response.status).toBe(200);
    await until('no callback waits', async () =>
      (await callbacksOf(id)).every(({ processedAt }) => processedAt),
    );
    expect((await expectEndedOnce(hosted.stack, customer, id)).status).toBe('CANCELLED');
    const filesLeft = () =>
      hosted.stack.db.prisma.file.count({ where: { executionId: id, state: { not: 'deleted' } } });
    await until('nothing is left', async () => (await filesLeft()) === 0);
  });
});

describe('a container whose worker has died', () => {
  it('has its circuit opened, and its runs go to the next provider', async () => {
    hosted.first.killWorker();
    hosted.second.plan({ endsAfterMs: 0 });
    const before = hosted.second.accepted().length;
    const first = await create(customer.api, 'writing-somewhere', { prompt: 'a' });
    await untilStatus(customer.api, first, 'COMPLETED');
    await until('its circuit is open', () =>
      lines.some(({ msg, connection }) => connection === 'first' && /circuit is open/.test(String(msg))),
    );
    const second = await create(customer.api, 'writing-somewhere', { prompt: 'b' });
    await untilStatus(customer.api, second, 'COMPLETED');
    expect((await attemptsOf(second)).map(({ provider }) => provider)).toEqual(['second']);
    expect(hosted.second.accepted()).toHaveLength(before + 2);
    expect(lines).toContainEqual(
      expect.objectContaining({ connection: 'first', alert: expect.stringContaining('UNHEALTHY') }),
    );
  });
});
