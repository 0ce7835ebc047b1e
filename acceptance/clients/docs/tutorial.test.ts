import { spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { resolve } from 'node:path';
import { servicePort } from '@holdfast/local/launch/ports';
import { outputOf } from '@holdfast/testkit/command';
import { testFolder } from '@holdfast/testkit/testFolder';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type LocalHoldfast, startLocalHoldfast } from '../../stack/localHoldfast.ts';
import { blocks, runTutorial, tutorialChecks } from './tutorial.ts';

const root = resolve(import.meta.dirname, '../../..');
/** The settings of the tutorial. */

// The tests must also run on a machine without curl.
const hasCurl = spawnSync('curl', ['--version']).status === 0;

(hasCurl ? describe : describe.skip)('pasted into bash (skipped without curl),', () => {
  const home = testFolder('tutorial');
  let holdfast: LocalHoldfast | undefined;
  let output = '';
  let quickstartOutput = '';

  beforeAll(async () => {
    holdfast = await startLocalHoldfast(home);
    const { HOLDFAST_URL: _url, HOLDFAST_API_KEY: _key, ...own } = process.env;
    const env = {
      ...own,
      HOLDFAST_HOME: home,
      TMPDIR: home,
      RECEIVER_PORT: String(await servicePort()),
    };
    output = await runTutorial(root, env);
    const quickstart = blocks('README.md', 'bash')
      .join('\n')
      .replace(/^export .*$/m, '');
    const { base_url, api_key } = holdfast.readState();
    const access = { HOLDFAST_URL: base_url, HOLDFAST_API_KEY: api_key };
    quickstartOutput = await outputOf('bash', ['-c', quickstart], {
      cwd: home,
      env: { ...env, ...access },
      timeoutMs: 60_000,
    });
  }, 120_000);

  afterAll(async () => {
    await holdfast?.stop();
  }, 20_000);

  it.each(Object.entries(tutorialChecks))('the tutorial %s', (_name, check) => {
    expect(() => check(output)).not.toThrow();
  });

  it('the quickstart of the README prints the result of its execution', () => {
    expect(quickstartOutput).toMatch(/"status":"COMPLETED","output":\{"text":/);
  });
});

describe('the signature check in the README', () => {
  it('accepts an authentic webhook and refuses a changed or old one', async () => {
    const [snippet = ''] = blocks('README.md', 'js');
    const { isAuthentic } = (await import(`data:text/javascript,${encodeURIComponent(snippet)}`)) as {
      isAuthentic(body: string, headers: Record<string, string>, secret: string): boolean;
    };
    const headersAt = (timestamp: string) => ({
      'x-signature-timestamp': timestamp,
      'x-signature': createHmac('sha256', 'whsec_key').update(`${timestamp}.{"a":1}`).digest('hex'),
    });
    const now = Math.floor(Date.now() / 1000);
    expect(isAuthentic('{"a":1}', headersAt(String(now)), 'whsec_key')).toBe(true);
    expect(isAuthentic('{"a":2}', headersAt(String(now)), 'whsec_key')).toBe(false);
    expect(isAuthentic('{"a":1}', headersAt(String(now)), 'whsec_other')).toBe(false);
    expect(isAuthentic('{"a":1}', headersAt(String(now - 301)), 'whsec_key')).toBe(false);
    expect(isAuthentic('{"a":1}', {}, 'whsec_key')).toBe(false);
  });
});
