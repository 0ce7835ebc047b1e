import { execFileSync } from 'node:child_process';
import { getPriority } from 'node:os';
import { pathToFileURL } from 'node:url';
import { expect, it } from '@jest/globals';

const service = pathToFileURL(`${import.meta.dirname}/service.ts`).href;
/** Prints the names of its threads with their priorities. */
const program = `
import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { runService } from '${service}';
runService(async () => {
  const threads = readdirSync('/proc/self/task').map((id) => [readFileSync('/proc/self/task/' + id + '/comm', 'utf8').trim(), getPriority(Number(id))]);
  console.log(JSON.stringify(threads));
  return { service: { stop: async () => {} }, log: { info() {}, flush: (done) => done() } };
});
setImmediate(() => process.kill(process.pid, 'SIGTERM'));`;

it('lets the threads that collect garbage yield to those that serve', () => {
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', program];
  const threads = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as [
    string,
    number,
  ][];
  const prioritiesOf = (name: string) =>
    new Set(threads.filter(([one]) => one === name).map(([, priority]) => priority));
  expect(prioritiesOf('V8Worker')).toEqual(new Set([Math.min(getPriority() + 5, 19)]));
  expect(prioritiesOf('MainThread')).toEqual(new Set([getPriority()]));
});
