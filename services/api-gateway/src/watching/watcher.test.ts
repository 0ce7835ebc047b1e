import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Database } from '@holdfast/db/client';
import { createLogger } from '@holdfast/kit/logger';
import { expect, it } from '@jest/globals';
import { openWatcher } from './watcher.ts';

it('an organization with many waiting requests gets half of the places, and a request of another still waits', async () => {
  const db = { pool: { query: async () => ({ rows: [] }) } } as unknown as Database;
  const watcher = openWatcher({ db, log: createLogger('test', 'silent') });
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
