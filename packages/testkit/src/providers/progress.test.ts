import { readEvents, type ServedEvent } from '@holdfast/api-gateway/testing/readEvents';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Customer } from '../customer.ts';
import { create, untilStatus } from '../executions.ts';
import { until } from '../until.ts';
import { expectEndedOnce, newCustomer, providerNames } from './books.ts';
import { type Hosted, startHosted } from './hosted.ts';
import { at, painter } from './models.ts';

let hosted: Hosted;
let customer: Customer;

beforeAll(async () => {
  hosted = await startHosted([
    painter('painting-one', [at.replicate('poll')]),
    painter('painting-two', [at.fal('poll')]),
  ]);
});
afterAll(() => hosted.close());
beforeEach(async () => {
  customer = await newCustomer(hosted.stack);
});

const record = async (id: string) => (await customer.api.get(`/v1/executions/${id}`)).body;

/** Follows an execution from now on; what was told stands in `events`, and `done` resolves at the end of the stream. */
async function follow(id: string) {
  const answer = await customer.api.fetch(`/v1/executions/${id}/events`, {
    headers: { accept: 'text/event-stream' },
  });
  expect(answer.status).toBe(200);
  const events: ServedEvent[] = [];
  const done = (async () => {
    for await (const event of readEvents(answer)) events.push(event);
  })();
  return { events, done };
}

const dataOf = (events: ServedEvent[], kind: string) =>
  events.filter(({ event }) => event === kind).map(({ data }) => data as Record<string, unknown>);
const linesOf = (events: ServedEvent[]) => dataOf(events, 'log').flatMap(({ lines }) => lines as string[]);

describe('what a provider tells of a run', () => {
  it("Replicate's log and the bar in it are in the status record and in the stream, without its name", async () => {
    const bar = ' 45%|####      | 45/100\n';
    hosted.replicate.plan({
      endsAfterMs: null,
      callsBack: false,
      logs: `Loading acme/painter from https://replicate.com/acme\n${bar}`,
    });
    const id = await create(customer.api, 'painting-one', { prompt: 'a' });
    const { events, done } = await follow(id);
    await until('its progress is told', async () => (await record(id))['progress'] === 0.45);
    expect((await record(id))['logs']).toMatch(/^Loading .*\n\s*45%\|####\s+\| 45\/100\n$/);
    const run = hosted.replicate.run(hosted.replicate.accepted().at(-1) ?? '');
    run.plan = { ...run.plan, logs: `${run.plan.logs}100%|##########| 100/100\nSaved for replicate` };
    const waiting = customer.api.get(`/v1/executions/${id}?wait=15`);
    await hosted.replicate.finish(run.id);
    expect((await waiting).body).toMatchObject({ status: 'COMPLETED', progress: 1 });
    await done;
    expect(dataOf(events, 'progress')).toContainEqual({ progress: 0.45, queue_position: null });
    expect(linesOf(events)).toHaveLength(4);
    expect(dataOf(events, 'status').map(({ status }) => status)).toEqual(
      expect.arrayContaining(['PROCESSING', 'COMPLETED']),
    );
    expect(JSON.stringify(events)).not.toMatch(providerNames);
    expect((await record(id))['logs']).toMatch(/100\/100\nSaved for the model\n$/);
    await expectEndedOnce(hosted.stack, customer, id);
  });

  it("the place in fal's queue and its log lines, without its name", async () => {
    hosted.fal.plan({ endsAfterMs: null, callsBack: false, logs: [] });
    const id = await create(customer.api, 'painting-two', { prompt: 'a' });
    const { events, done } = await follow(id);
    await until('its place is told', async () => (await record(id))['queue_position'] === 1);
    const run = hosted.fal.run(hosted.fal.accepted().at(-1) ?? '');
    run.plan = { ...run.plan, logs: ['fal.ai worker acme/painter is up', 'Step 1'] };
    await until('its log is told', async () => String((await record(id))['logs']).includes('up'));
    expect((await record(id))['queue_position']).toBeNull();
    run.plan = { ...run.plan, logs: [...run.plan.logs, 'Step 2'] };
    await hosted.fal.finish(run.id);
    await untilStatus(customer.api, id, 'COMPLETED');
    await done;
    expect(dataOf(events, 'progress')).toContainEqual({ progress: null, queue_position: 1 });
    expect(linesOf(events)).toEqual([expect.stringMatching(/ is up$/), 'Step 1', 'Step 2']);
    expect(JSON.stringify(events)).not.toMatch(providerNames);
    await expectEndedOnce(hosted.stack, customer, id);
  });
});
