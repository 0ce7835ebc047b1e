import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, jest } from '@jest/globals';
import { createLogger, type LogFormat, logOutput } from './logger.ts';

/** The line that is written for these fields. */
function written(fields: Record<string, unknown>): Record<string, unknown> {
  const write = jest.fn<(line: string) => void>();
  const log = createLogger('test', 'info', { write });
  log.info(fields, 'said');
  return JSON.parse(write.mock.calls[0]?.[0] ?? '') as Record<string, unknown>;
}

it('secrets and content are never written to the log', () => {
  const line = written({ url: 'https://x?signature=s', request: { headers: { a: 's' }, input: 's' }, ok: 1 });
  expect(line).toMatchObject({
    level: 'info',
    service: 'test',
    url: '[redacted]',
    request: { headers: '[redacted]', input: '[redacted]' },
    ok: 1,
  });
});

it('secrets among the fields of a child logger are not written, and its other fields are', () => {
  const write = jest.fn<(line: string) => void>();
  createLogger('test', 'info', { write })
    .child({ traceId: 't', token: 's' })
    .child({ to: { url: 's' } })
    .info('said');
  expect(JSON.parse(write.mock.calls[0]?.[0] ?? '')).toMatchObject({
    service: 'test',
    traceId: 't',
    token: '[redacted]',
    to: { url: '[redacted]' },
  });
});

it('the logged object itself keeps its secrets', () => {
  const request = { headers: { a: 's' } };
  written({ request });
  expect(request).toEqual({ headers: { a: 's' } });
});

it('the log of an error has its kind, not the data that it quotes', () => {
  const cause = Object.assign(new Error('inner'), { detail: 'a row' });
  const err = Object.assign(new TypeError('outer', { cause }), {
    code: '22P05',
    where: 'JSON data: an output',
  });
  const line = JSON.stringify(written({ err }));
  expect(line).toContain('"type":"TypeError","message":"outer"');
  expect(line).toContain('"code":"22P05"');
  expect(line).toContain('"message":"inner"');
  expect(line).not.toMatch(/a row|an output/);
});

/** What a service writes to such a stream, without the time. */
async function shown(
  format: LogFormat | undefined,
  stream: { isTTY: boolean; hasColors(): boolean },
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-log-'));
  const path = join(folder, 'log');
  const fd = openSync(path, 'w');
  const write = (line: string) => writeSync(fd, line) > 0;
  const out = { ...stream, fd, write, on: () => out } as unknown as typeof process.stdout;
  createLogger('ledger', 'info', await logOutput(format, out)).warn(
    { executionId: 'exec_1', key: 'sk_1' },
    'a job failed',
  );
  while (statSync(path).size === 0) await delay(1);
  const text = readFileSync(path, 'utf8');
  closeSync(fd);
  rmSync(folder, { recursive: true });
  return text.replace(/^\[\d\d:\d\d:\d\d\.\d{3}\] |"time":"[^"]*",/, '');
}

const terminal = { isTTY: true, hasColors: () => true };
const file = { isTTY: false, hasColors: () => false };

const json =
  '{"level":"warn","service":"ledger","executionId":"exec_1","key":"[redacted]","msg":"a job failed"}\n';

it.each([
  ['json', undefined, file, json],
  ['json', 'json' as const, terminal, json],
  [
    'lines for people',
    'pretty' as const,
    file,
    'WARN: ledger: a job failed {"executionId":"exec_1","key":"[redacted]"}\n',
  ],
  [
    'lines for people',
    undefined,
    { ...terminal, hasColors: () => false },
    'WARN: ledger: a job failed {"executionId":"exec_1","key":"[redacted]"}\n',
  ],
])('the log is written as %s with LOG_FORMAT %s to %j', async (_as, format, stream, text) => {
  expect(await shown(format, stream)).toBe(text);
});

it('the log is coloured on a terminal with colours', async () => {
  expect(await shown(undefined, terminal)).toContain('\u001b[33mWARN\u001b[39m');
});
