import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Database } from '@holdfast/db/client';
import { createLogger } from '@holdfast/kit/logger';
import type { ChangeHandlers } from '@holdfast/queues/changes';
import { expect, it } from '@jest/globals';
import { openWatcher } from './watcher.ts';

const feed = { listen() {}, pause() {}, isLive: () => true, statusOf: () => undefined };

it('an organization with many waiting requests gets half of the room, and a request of another still waits', async () => {
  const db = { pool: { query: async () => ({ rows: [] }) } } as unknown as Database;
  const watcher = openWatcher({ db, log: createLogger('test', 'silent'), openFeed: () => feed });
  const wait = (organizationId: string) =>
    watcher.waitForEnd(
      { id: 'exec_1', status: 'PENDING', organizationId },
      60_000,
      new EventEmitter() as unknown as ServerResponse,
    );
  const first = Array.from({ length: 6000 }, () => wait('org_a'));
  const second = wait('org_b');
  watcher.close();
  expect((await Promise.all(first)).filter(Boolean)).toHaveLength(2500);
  expect(await second).toBe(true);
});

it('a waiting request resolves when the end is reported, without a read, and no earlier', async () => {
  let reads = 0;
  const query = async () => {
    reads += 1;
    return { rows: [] };
  };
  let report: ChangeHandlers | undefined;
  const watcher = openWatcher({
    db: { pool: { query } } as unknown as Database,
    log: createLogger('test', 'silent'),
    openFeed: (handlers) => {
      report = handlers;
      return feed;
    },
  });
  const known = { id: 'exec_1', status: 'PROCESSING', organizationId: 'org_a' } as const;
  const response = new EventEmitter() as unknown as ServerResponse;
  const changed = watcher.waitForChange(known, 60_000, response);
  const ended = watcher.waitForEnd({ ...known, status: 'PENDING' }, 60_000, response);
  report?.onChange('exec_1', 'PROCESSING');
  await new Promise(setImmediate);
  expect(watcher.size()).toBe(2);
  report?.onChange('exec_1', 'FAILED');
  expect(await Promise.all([changed, ended])).toEqual([true, true]);
  expect([watcher.size(), reads]).toEqual([0, 0]);
  watcher.close();
});
