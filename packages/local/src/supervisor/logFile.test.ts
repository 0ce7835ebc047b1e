import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '@holdfast/kit/config';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { lastErrors, logSize, rotateLog } from './logFile.ts';

let folder: string;
let log: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-log-'));
  log = join(folder, 'ledger.log');
});

afterEach(() => rmSync(folder, { recursive: true }));

describe('the log of a service', () => {
  it('shows errors of pino and plain lines, and no line of an earlier process', () => {
    writeFileSync(log, 'an earlier life\n');
    const bornAt = logSize(log);
    const lines = [
      { level: 30, msg: 'listening' },
      { level: 'info', msg: 'listening' },
      { level: 60, msg: 'config', err: { message: 'PORT is missing' } },
      { level: 'error', msg: 'no database' },
    ].map((line) => JSON.stringify(line));
    writeFileSync(log, ['an earlier life', ...lines, 'Segmentation fault', ''].join('\n'));
    expect(lastErrors(log, bornAt)).toEqual(['config: PORT is missing', 'no database', 'Segmentation fault']);
  });

  it('shows the errors among formatted lines, without the indented lines below them', () => {
    const lines = [
      '[12:07:20.746] INFO: ledger: listening {"port":5}',
      '[12:07:20.775] ERROR: ledger: no database {"a":1}',
      '    err: {',
      '      "type": "Error",',
      '    }',
      'Error: out of memory',
      '    at main.ts:1',
      '',
    ];
    writeFileSync(log, lines.join('\n'));
    expect(lastErrors(log, 0)).toEqual(['ledger: no database {"a":1}', 'Error: out of memory']);
  });

  it('shows the settings that are wrong', () => {
    const { message } = new ConfigError(['PORT: must be a number', 'DATABASE_URL is not set: PostgreSQL']);
    writeFileSync(log, `${message}\n`);
    expect(lastErrors(log, 0)).toEqual([
      'The environment is invalid:',
      'PORT: must be a number',
      'DATABASE_URL is not set: PostgreSQL',
    ]);
  });

  it('does not show the rest of a line that was cut', () => {
    writeFileSync(log, `${'x'.repeat(20_000)}\nthe reason\n`);
    expect(lastErrors(log, 0)).toEqual(['the reason']);
  });

  it('has no errors and no size before it exists', () => {
    expect(lastErrors(log, 0)).toEqual([]);
    expect(logSize(log)).toBe(0);
  });

  it('is renamed at the next start', () => {
    writeFileSync(log, 'the last start');
    rotateLog(log);
    expect(readFileSync(`${log}.1`, 'utf8')).toBe('the last start');
    expect(logSize(log)).toBe(0);
  });
});
