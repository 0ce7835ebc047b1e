import { readEvents, type ServedEvent } from '@holdfast/api-gateway/testing/readEvents';
import type { Customer } from '@holdfast/testkit/testData';
import { until } from '@holdfast/testkit/until';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { create, untilStatus } from '../../stack/executions.ts';
import { startHosted } from './hosted.ts';
import { expectEndedOnce, newCustomer, providerNames } from './ledgerChecks.ts';
import { at, painter } from './models.ts';

let customer: Customer;
const logged: { level: string; msg: string; executionId?: string }[] = [];

const hosted = await startHosted(
  [painter('painting-one', [at.replicate('poll')], { show_to_clients: ['logs'] })],
  { LOG_LEVEL: 'debug' },
  (line) => logged.push(JSON.parse(line)),
);

beforeEach(async () => {
  customer = await newCustomer(hosted.stack);
});

const record = async (id: string) => (await customer.api.get(`/v1/executions/${id}`)).body;

/** Follows an execution: `events` has its events so far, and `done` resolves at the end of the stream. */
async function follow(id: string) {
  const response = await customer.api.fetch(`/v1/executions/${id}/events`, {
    headers: { accept: 'text/event-stream' },
  });
  expect(response.status).toBe(200);
  const events: ServedEvent[] = [];
  const done = (async () => {
    for await (const event of readEvents(response)) events.push(event);
  })();
  return { events, done };
}

const dataOf = (events: ServedEvent[], kind: string) =>
  events.filter(({ event }) => event === kind).map(({ data }) => data as Record<string, unknown>);
const linesOf = (events: ServedEvent[]) => dataOf(events, 'log').flatMap(({ lines }) => lines as string[]);

describe('the progress of a run', () => {
  it('is in the status record and in the stream, with the log if the model shows it', async () => {
    const bar = ' 45%|####      | 45/100\n';
    hosted.replicate.plan({
      endsAfterMs: null,
      callsBack: false,
      logs: `Painting the sky in azure\n${bar}`,
    });
    const id = await create(customer.api, 'painting-one', { prompt: 'a' });
    const { events, done } = await follow(id);
    await until('its progress is reported', async () => (await record(id))['progress'] === 0.45);
    expect((await record(id))['logs']).toBe(`Painting the sky in azure\n${bar}`);
    const run = hosted.replicate.run(hosted.replicate.accepted().at(-1) ?? '');
    run.plan = { ...run.plan, logs: `${run.plan.logs}100%|##########| 100/100\nSaved` };
    const waiting = customer.api.get(`/v1/executions/${id}?wait=15`);
    await hosted.replicate.finish(run.id);
    expect((await waiting).body).toMatchObject({ status: 'COMPLETED', progress: 1 });
    await done;
    expect(dataOf(events, 'progress')).toContainEqual({ progress: 0.45, queue_position: null });
    expect(linesOf(events)).toHaveLength(4);
    expect(dataOf(events, 'status').map(({ status }) => status)).toEqual(
      expect.arrayContaining(['PROCESSING', 'COMPLETED']),
    );
    const shown = JSON.stringify(events).replaceAll(hosted.stack.baseUrl, 'our own URL');
    expect(shown).not.toMatch(providerNames);
    expect((await record(id))['logs']).toMatch(/100\/100\nSaved\n$/);
    await expectEndedOnce(hosted.stack, customer, id);
  });
});

it('a polled run has one log line at info for its acceptance, and one at debug for each poll', async () => {
  hosted.replicate.plan({ endsAfterMs: null, callsBack: false });
  const id = await create(customer.api, 'painting-one', { prompt: 'a' });
  const lines = (text: string) => logged.filter(({ msg, executionId }) => executionId === id && msg === text);
  await until('it was polled twice', () => lines('run polled').length >= 2);
  await hosted.replicate.finish(hosted.replicate.accepted().at(-1) ?? '');
  await untilStatus(customer.api, id, 'COMPLETED');
  expect(lines('run accepted by its provider')).toHaveLength(1);
  expect(lines('run accepted by its provider')[0]?.level).toBe('info');
  expect(new Set(lines('run polled').map(({ level }) => level))).toEqual(new Set(['debug']));
});
