import type { StartedAttempt } from '@holdfast/db/webhooks/attempts';
import { createLogger } from '@holdfast/kit/logger';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { createStartMarks, markAfterMs } from './startMarks.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const soon = new Date('2026-01-01T00:00:08Z');
const later = new Date('2026-01-01T00:00:45Z');

function attempt(id: string): StartedAttempt {
  return { id, attempts: 1, number: 1, leaseUntil: soon, startedAt: new Date('2026-01-01') };
}

function open(write: (ids: string[]) => Promise<void> = async () => {}) {
  const written: string[][] = [];
  const marks = createStartMarks(
    async (started) => {
      const ids = started.map(({ id }) => id);
      written.push(ids);
      await write(ids);
      return new Map(ids.map((id) => [id, later]));
    },
    createLogger('test', 'silent'),
  );
  return { marks, written };
}

it('marks attempts that have lasted for a while, and not those beside them that have just started', async () => {
  const { marks, written } = open();
  const old = [attempt('1'), attempt('2')];
  for (const one of old) marks.add(one);
  await jest.advanceTimersByTimeAsync(markAfterMs - 1);
  const young = attempt('3');
  marks.add(young);
  await jest.advanceTimersByTimeAsync(1);
  expect(written).toEqual([['1', '2']]);
  expect([...old, young].map(({ leaseUntil }) => leaseUntil)).toEqual([later, later, soon]);
  await jest.advanceTimersByTimeAsync(markAfterMs);
  expect(written).toEqual([['1', '2'], ['3']]);
});

it('marks no attempt that has ended', async () => {
  const { marks, written } = open();
  const ended = marks.add(attempt('1'));
  marks.add(attempt('2'));
  await ended.written();
  await jest.advanceTimersByTimeAsync(markAfterMs);
  expect(written).toEqual([['2']]);
});

it('lets an attempt wait for the mark that is being written', async () => {
  const gate = Promise.withResolvers<void>();
  const { marks } = open(() => gate.promise);
  const mark = marks.add(attempt('1'));
  await jest.advanceTimersByTimeAsync(markAfterMs);
  const settled = jest.fn();
  const settling = mark.written().then(settled);
  await jest.advanceTimersByTimeAsync(0);
  expect(settled).not.toHaveBeenCalled();
  gate.resolve();
  await settling;
});

it('lets an attempt end whose mark could not be written', async () => {
  const { marks } = open(() => Promise.reject(new Error('no database')));
  const one = attempt('1');
  const mark = marks.add(one);
  await jest.advanceTimersByTimeAsync(markAfterMs);
  await mark.written();
  expect(one.leaseUntil).toBe(soon);
});
