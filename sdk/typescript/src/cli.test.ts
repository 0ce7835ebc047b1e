import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';

it.each([
  [['types', '--foo'], "Unknown option '--foo'."],
  [['types', '--url'], "Option '--url <value>' argument missing"],
  [['typse'], 'Usage: '],
])('the command %j ends with 2, and prints what is wrong and the usage', (args, reason) => {
  const script = join(import.meta.dirname, 'cli.ts');
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], { encoding: 'utf8' });
  expect([status, stdout]).toEqual([2, '']);
  expect(stderr.split('\n')[0]).toMatch(reason);
  expect(stderr).toContain('Usage: npx @holdfast/sdk types');
});
