import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, globSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { newWebhookSecret, signatureHeaders, signingKeys } from '@holdfast/domain/webhookSignature';
import { servicePort } from '@holdfast/local/launch/ports';
import { outputOf } from '@holdfast/testkit/command';
import { testFolder } from '@holdfast/testkit/testFolder';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type LocalHoldfast, startLocalHoldfast } from '../../stack/localHoldfast.ts';
import { python } from './programs.ts';
import { blocks } from './tutorial.ts';

const root = resolve(import.meta.dirname, '../../..');
const pages = globSync(['docs/README.md', 'docs/{quickstart,guides}/*.md'], { cwd: root }).sort();
const home = testFolder('samples');

/** The variables of a request whose body the receiver saved as `body`. */
function signedRequest(): NodeJS.ProcessEnv {
  const secret = newWebhookSecret();
  const [eventId, body] = ['evt_1', '{"type":"execution.completed"}\n'];
  writeFileSync(join(home, 'body'), body);
  const signers = { current: signingKeys(secret), previous: null, isPreviousPrimary: false };
  const headers = signatureHeaders({ signers, eventId, timestampS: 1_774_002_608, body });
  return {
    WEBHOOK_SECRET: secret,
    webhook_id: headers['webhook-id'],
    webhook_timestamp: headers['webhook-timestamp'],
    webhook_signature: headers['webhook-signature'],
  };
}

const works = (command: string, ...args: string[]) => spawnSync(command, args).status === 0;
const hasCurl = works('curl', '--version');
const hasGo = works('go', 'version');
const hasPython = works(python, '-c', 'import holdfast');

/** Every sample of a language: the page, its number there, and the text. */
const samplesIn = (fence: string) =>
  pages.flatMap((page) => blocks(page, fence).map((text, n) => [page, n + 1, text] as const));

describe('the samples of quickstarts and guides', () => {
  let holdfast: LocalHoldfast | undefined;
  let env: NodeJS.ProcessEnv = {};

  beforeAll(async () => {
    holdfast = await startLocalHoldfast(home);
    const { base_url, api_key } = holdfast.readState();
    const { NODE_OPTIONS: _options, ...own } = process.env;
    env = { ...own, HOLDFAST_URL: base_url, HOLDFAST_API_KEY: api_key, ...signedRequest() };
    copyFileSync(join(root, 'acceptance/clients/docs/photo.png'), join(home, 'photo.png'));
  }, 120_000);
  afterAll(() => holdfast?.stop(), 20_000);

  async function run(file: string, text: string, command: string[]): Promise<string> {
    writeFileSync(join(home, file), text);
    const [program = '', ...args] = command;
    const PORT = String(await servicePort());
    return await outputOf(program, args, { cwd: home, env: { ...env, PORT }, timeoutMs: 60_000 });
  }

  it.each(samplesIn('ts'))(
    '%s runs its TypeScript sample %i',
    async (page, _n, text) => {
      const source = text.replaceAll("'@holdfast/sdk'", `'${join(root, 'sdk/typescript/src/index.ts')}'`);
      const args = ['--disable-warning=ExperimentalWarning', 'sample.mjs'];
      const output = await run('sample.mjs', source, [process.execPath, ...args]);
      if (text.includes('unwrap')) expect(output).toMatch(/^verified execution\.completed exec_/m);
      if (page.endsWith('files.md')) expect(existsSync(join(home, 'small.png'))).toBe(true);
    },
    70_000,
  );

  (hasPython ? it : it.skip).each(samplesIn('python'))(
    '%s runs its Python sample %i',
    async (_page, _n, text) => {
      const output = await run('sample.py', text, [python, 'sample.py']);
      if (text.includes('unwrap')) expect(output).toContain('verified execution.completed');
    },
    70_000,
  );

  (hasGo ? it : it.skip).each(samplesIn('go'))(
    '%s runs its Go sample %i',
    async (_page, _n, text) => {
      const output = await run('sample.go', text, ['go', 'run', 'sample.go']);
      const isReceiver = text.includes('hmac');
      expect(output).toMatch(
        isReceiver ? /^verified execution\.completed exec_/m : /^202 .*"status":"COMPLETED"/,
      );
    },
    70_000,
  );

  (hasCurl ? it : it.skip).each(samplesIn('bash'))(
    '%s runs its curl sample %i',
    async (_page, _n, text) => {
      const output = await run('sample.sh', text, ['bash', '-e', 'sample.sh']);
      if (text.includes('"stream":true'))
        expect(output).toMatch(/^event: done\ndata: \{"status":"COMPLETED"/m);
      else expect(output).toMatch(/^\{/);
      expect(output).not.toMatch(/^\{"error"/m);
    },
    70_000,
  );
});
