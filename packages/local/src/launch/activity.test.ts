import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { testFolder } from '@holdfast/testkit/testFolder';
import { expect, it } from '@jest/globals';
import { activityIn, newLines } from './activity.ts';

const attempt = { msg: 'webhook attempt', executionId: 'exec_1', attempt: 2, durationMs: 31 };

it.each([
  [
    { msg: 'execution ended', executionId: 'exec_1', model: 'flux', status: 'COMPLETED' },
    'exec_1  flux  COMPLETED',
  ],
  [
    { ...attempt, status: 503, stage: null, outcome: 'pending' },
    'exec_1  webhook responded 503 after 31 ms, attempt 2: pending',
  ],
  [
    { ...attempt, executionId: null, endpointId: 'wh_1', status: null, stage: 'dns', outcome: 'dead' },
    'wh_1  webhook failed (dns) after 31 ms, attempt 2: dead',
  ],
  [{ msg: 'request', executionId: 'exec_1' }, null],
])('a line of the log is shown as a person reads it (%#)', (entry, line) => {
  expect(activityIn(JSON.stringify(entry))).toBe(line);
});

it('a line that is not JSON is not shown', () => {
  expect(activityIn('[10:00:00] INFO: execution ended')).toBeNull();
});

it('a log is followed from its end, by whole lines, and the newest of many', () => {
  const path = join(testFolder('activity'), 'a.log');
  writeFileSync(path, 'old\n');
  const read = newLines(path);
  appendFileSync(path, 'one\ntw');
  expect(read()).toEqual({ lines: ['one'], skippedBytes: 0 });
  appendFileSync(path, 'o\n');
  expect(read()).toEqual({ lines: ['two'], skippedBytes: 0 });
  expect(read()).toEqual({ lines: [], skippedBytes: 0 });
  appendFileSync(path, `${'x'.repeat(40_000)}\nlast\n`);
  expect(read()).toEqual({ lines: ['last'], skippedBytes: expect.any(Number) });
  rmSync(join(path, '..'), { recursive: true });
});
