import { updateTypes } from '@holdfast/domain/webhookDialect';
import { until } from '@holdfast/testkit/until';
import { expect, it } from '@jest/globals';
import { hold, useStage } from './testing/stage.ts';

const stage = await useStage();
const { prisma } = stage.db;
const dialect = (events: ('start' | 'output' | 'logs' | 'completed')[]) =>
  ({ name: 'replicate', events, model: 'acme/writer', version: 'v1', base: 'https://h.example' }) as const;

const bodies = () => stage.receiver.received.map(({ body }) => JSON.parse(body));
const watch = (id: string) => prisma.webhookUpdate.findUnique({ where: { executionId: id } });

/** An execution that has begun, and is watched. `show` adds an event to its stream. */
async function begun(events: Parameters<typeof dialect>[0]) {
  const { executionId: id } = await stage.publish('execution.started', {
    webhookUrl: stage.receiver.url,
    webhookDialect: dialect(events),
  });
  await until('it is watched', async () => (await watch(id)) !== null);
  await prisma.stream.create({ data: { executionId: id } });
  return {
    id,
    async show(type: string, data: object) {
      const { events: number } = await prisma.stream.update({
        where: { executionId: id },
        data: { events: { increment: 1 } },
      });
      await prisma.streamEvent.create({
        data: { executionId: id, number, type, data: JSON.stringify(data) },
      });
    },
    /** As the log of a run that is polled grows. */
    log: (text: string) =>
      prisma.execution.update({ where: { id }, data: { logs: text, logsTotal: text.length } }),
    end: () =>
      prisma.execution.update({ where: { id }, data: { status: 'CANCELLED', completedAt: new Date() } }),
  };
}

it('calls at news that were asked for, with all that is shown by then, until the end', async () => {
  const { id, show, log, end } = await begun([...updateTypes]);
  await show('output', { delta: 'one' });
  await until('a call', () => bodies().length === 1);
  await show('progress', { progress: 0.5 });
  await show('logs', { lines: ['step 1', 'step 2'] });
  await until('another', () => bodies().length === 2);
  await log('polled\n');
  await until('a third', () => bodies().length === 3);
  const running = { id, status: 'processing', output: ['one'], completed_at: null };
  expect(bodies()).toMatchObject([
    { ...running, logs: '' },
    { ...running, logs: 'step 1\nstep 2\n' },
    { ...running, logs: 'polled\n' },
  ]);
  const ids = stage.receiver.received.map(({ headers }) => headers['webhook-id']);
  expect(new Set(ids).size).toBe(3);
  await end();
  await show('output', { delta: 'late' });
  await until('it is forgotten', async () => (await watch(id)) === null);
  expect(bodies()).toHaveLength(3);
});

it('has one call of an execution open, and the next one has all that came meanwhile', async () => {
  const { show, end } = await begun(['output']);
  const held = hold(stage.receiver);
  await show('logs', { lines: ['not asked for'] });
  for (const delta of ['a', 'b']) await show('output', { delta });
  await until('a call is open', () => held.count() === 1);
  await show('output', { delta: 'c' });
  for (let sweep = 0; sweep < 3; sweep += 1) await stage.sender().sweepNow();
  expect(held.count()).toBe(1);
  // A refused call is not repeated: the next one has what it had.
  held.fail();
  held.release();
  await until('the next call', () => bodies().length === 2);
  expect(bodies().at(-1).output).toEqual(['a', 'b', 'c']);
  await end();
});

it('calls after a sender died during a call, once its claim has ended', async () => {
  const { id, show, end } = await begun(['output']);
  await prisma.webhookUpdate.update({
    where: { executionId: id },
    data: { nextAt: new Date(Date.now() + 45_000) },
  });
  await show('output', { delta: 'a' });
  await stage.sender().sweepNow();
  expect(bodies()).toEqual([]);
  await prisma.webhookUpdate.update({ where: { executionId: id }, data: { nextAt: new Date() } });
  await until('a call', () => bodies().length === 1);
  await end();
});

it.each([
  ['output', 'execution.completed', 1],
  ['logs', 'execution.failed', 1],
  ['start', 'execution.completed', 0],
] as const)('calls one who asked for %s alone at %s %i times', async (event, type, calls) => {
  const webhookUrl = stage.receiver.url;
  const { eventId } = await stage.publish(type, { webhookUrl, webhookDialect: dialect([event]) });
  await until('it is fanned out', async () => {
    const { fannedOutAt } = await prisma.event.findUniqueOrThrow({ where: { id: eventId } });
    return fannedOutAt !== null && bodies().length === calls;
  });
});
