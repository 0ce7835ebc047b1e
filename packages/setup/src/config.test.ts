import { describe, expect, it } from '@jest/globals';
import { readConfig } from './config.ts';

const disk = { FILE_DISK_PATH: '/data', FILE_URL_SECRET: 'a secret of sixteen', PUBLIC_URL: 'http://here' };
const enough = { DATABASE_URL: 'postgresql://owner@db/holdfast', ...disk };
const passwords = {
  GATEWAY_DB_PASSWORD: 'a',
  DISPATCHER_DB_PASSWORD: 'b',
  LEDGER_DB_PASSWORD: 'c',
  WEBHOOK_SENDER_DB_PASSWORD: 'd',
};

function problems(environment: NodeJS.ProcessEnv): string {
  try {
    readConfig(environment);
  } catch (error) {
    return (error as Error).message;
  }
  return 'none';
}

describe('the settings of the setup', () => {
  it('list all missing and invalid values at once', () => {
    const wrong = { FILE_STORE: 's3', DEMO_KEY_SECRET: 'ABC', LEDGER_DB_PASSWORD: 'c', S3_BUCKET: 'files' };
    const named = problems(wrong)
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/[ :]/)[0]);
    expect(named).toEqual([
      'DATABASE_URL',
      'DEMO_KEY_SECRET',
      'S3_ENDPOINT',
      'S3_ACCESS_KEY',
      'S3_SECRET_KEY',
      'GATEWAY_DB_PASSWORD',
      'DISPATCHER_DB_PASSWORD',
      'WEBHOOK_SENDER_DB_PASSWORD',
      'ENCRYPTION_KEYS',
    ]);
  });

  it('do not print an invalid secret', () => {
    expect(problems({ ...enough, DEMO_KEY_SECRET: 'f00d', ENCRYPTION_KEYS: 'beef' })).not.toMatch(
      /f00d|beef/,
    );
  });

  it('omit roles and demo organization by default', () => {
    expect(readConfig(enough)).toMatchObject({ rolePasswords: null, demo: null });
  });

  it('contain the passwords of the four roles', () => {
    expect(readConfig({ ...enough, ...passwords }).rolePasswords).toEqual({
      holdfast_gateway: 'a',
      holdfast_dispatcher: 'b',
      holdfast_ledger: 'c',
      holdfast_webhook_sender: 'd',
    });
  });
});
