import { spawn, spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { expect, it } from '@jest/globals';
import type { LogFormat } from './logger.ts';

const logger = pathToFileURL(`${import.meta.dirname}/logger.ts`).href;

/** Arguments of Node for a service that logs. */
const service = (format: LogFormat, body: string) => [
  '--disable-warning=ExperimentalWarning',
  '--input-type=module',
  '--eval',
  `import { setTimeout as delay } from 'node:timers/promises';
   import { createLogger, logOutput } from '${logger}';
   const log = createLogger('test', 'info', await logOutput('${format}'));
   ${body}`,
];

const messages = (stdout: string) =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).msg);

it.each(['json', 'pretty'] as const)(
  'a service whose log disk is full serves, and ends when it should (%s)',
  (format) => {
    const full = openSync('/dev/full', 'w');
    const body = `
    for (let line = 0; line < 3; line++) {
      log.info('a line');
      await delay(10);
    }
    process.stderr.write('served');
    log.info('the last line');
    process.exit(0);`;
    const { stderr, status } = spawnSync(process.execPath, service(format, body), {
      stdio: ['ignore', full, 'pipe'],
      encoding: 'utf8',
      timeout: 10_000,
      killSignal: 'SIGKILL',
    });
    closeSync(full);
    expect({ stderr, status }).toEqual({ stderr: 'served', status: 0 });
  },
  20_000,
);

it('a service that ends while its threads are busy has its lines in the log, in their order', () => {
  const body = `
    const { pbkdf2 } = await import('node:crypto');
    pbkdf2('password', 'salt', 300_000, 64, 'sha512', () => {});
    log.info('first');
    await delay(1);
    log.info('last');
    process.exit(0);`;
  const env = { ...process.env, UV_THREADPOOL_SIZE: '1' };
  const { stdout } = spawnSync(process.execPath, service('json', body), { encoding: 'utf8', env });
  expect(messages(stdout)).toEqual(['first', 'last']);
});

it('a slow reader of the log gets every line of a service that ends', () => {
  const body = `
    for (let line = 0; line < 400; line++) {
      log.info({ fill: 'é'.repeat(1_000) }, 'a line');
      if (line % 100 === 0) await delay(1);
    }
    process.stderr.write('logged');
    process.exit(0);`;
  // The reader is a process of its own: this one may be too busy to read before the service gives up.
  const slowReader = '"$@" 2>/dev/null | { sleep 0.2; tac | tac; }';
  const read = spawnSync('sh', ['-c', slowReader, 'sh', process.execPath, ...service('json', body)]);
  const lines = String(read.stdout).trim().split('\n');
  expect(lines.length).toBe(400);
  for (const line of lines) expect(JSON.parse(line)).toMatchObject({ fill: 'é'.repeat(1_000) });
});

it('a service whose log no one reads keeps its memory', async () => {
  const body = `
    for (let line = 0; line < 300_000; line++) {
      log.info({ fill: 'x'.repeat(1_000) }, 'a line');
      if (line % 1_000 === 0) await delay(1);
    }
    process.stderr.write(String(process.memoryUsage.rss()));
    process.kill(process.pid, 'SIGKILL');`;
  const child = spawn(process.execPath, service('json', body), { stdio: ['ignore', 'pipe', 'pipe'] });
  expect(Number(await text(child.stderr))).toBeLessThan(250_000_000);
}, 30_000);

it('a service that ends has its last lines in the log, in their order', () => {
  const body = `
    log.info('first');
    log.fatal('last');
    log.flush(() => process.exit(0));`;
  for (let run = 0; run < 10; run++) {
    const { stdout } = spawnSync(process.execPath, service('json', body), { encoding: 'utf8' });
    expect(messages(stdout)).toEqual(['first', 'last']);
  }
}, 30_000);
