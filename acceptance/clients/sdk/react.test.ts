import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, delimiter, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { apiClient } from '@holdfast/testkit/apiClient';
import { outputOf } from '@holdfast/testkit/command';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type LocalHoldfast, startLocalHoldfast } from '../../stack/localHoldfast.ts';
import { copyTool, installTypeScriptSdk, machineEnvironment } from './installed.ts';

const root = resolve(import.meta.dirname, '../../..');
const tools = join(root, 'sdk/tools/node_modules');
const home = mkdtempSync(join(tmpdir(), 'holdfast-react-'));
let holdfast: LocalHoldfast;
/** What the hook showed with each version of React. */
const shown = new Map<string, Promise<string>>();

beforeAll(async () => {
  holdfast = await startLocalHoldfast(join(home, 'holdfast'));
  // At the same time: they mostly wait.
  for (const [name, suffix] of Object.entries(versions)) shown.set(name, runHook(name, suffix));
  await Promise.allSettled(shown.values());
}, 300_000);

afterAll(async () => {
  await holdfast.stop();
  rmSync(home, { recursive: true, force: true });
}, 30_000);

const versions = { 'React 19': '', 'React 18': '-18' } as const;

/** Copies a dependency of a tool into a project. */
function copyBeside(tool: string, path: string, folder: string, as = basename(path)): void {
  const source = realpathSync(join(realpathSync(join(tools, tool)), path));
  cpSync(source, join(folder, 'node_modules', as), { recursive: true });
}

/** An empty project with @holdfast/react and one version of React. */
async function newProject(name: string, suffix: string): Promise<string> {
  const folder = join(home, name);
  await installTypeScriptSdk(folder, { type: 'module' }, ['@holdfast/sdk', '@holdfast/react']);
  for (const one of ['react', 'react-dom', '@types/react']) copyTool(`${one}${suffix}`, folder, one);
  copyBeside(`react-dom${suffix}`, '../scheduler', folder);
  copyBeside(`@types/react${suffix}`, '../../csstype', folder);
  if (suffix) copyBeside(`@types/react${suffix}`, '../prop-types', folder, '@types/prop-types');
  return folder;
}

const script = (name: string) => join(import.meta.dirname, 'pages', name);

function environment(): NodeJS.ProcessEnv {
  const { base_url: HOLDFAST_URL, api_key: HOLDFAST_API_KEY } = holdfast.readState();
  return { ...machineEnvironment(), HOLDFAST_URL, HOLDFAST_API_KEY };
}

/** Runs the hook in happy-dom. Returns what it showed. */
async function runHook(name: string, suffix: string): Promise<string> {
  const folder = await newProject(name.replace(' ', '-'), suffix);
  // Imported from where it is installed: its own dependencies lie beside it.
  const dom = JSON.stringify(join(tools, 'happy-dom/lib/index.js'));
  const program = readFileSync(script('hook.mjs'), 'utf8').replace("'happy-dom'", dom);
  writeFileSync(join(folder, 'hook.mjs'), program);
  return await outputOf('node', ['hook.mjs'], { cwd: folder, env: environment(), timeoutMs: 120_000 });
}

describe.each(Object.entries(versions))('useExecution in %s', (name) => {
  const folder = join(home, name.replace(' ', '-'));

  it('shows an execution to its end, through expired tokens, failures, other ids and StrictMode', async () => {
    expect(JSON.parse((await shown.get(name)) ?? '')).toEqual({
      server: '<p>exec_1 is unknown</p>',
      image: {
        text: true,
        status: 'COMPLETED',
        error: null,
        fields: ['images'],
        bytes: true,
        types: expect.arrayContaining(['status']),
        statuses: expect.arrayContaining([null, 'COMPLETED']),
      },
      failed: { name: 'ExecutionError', code: 'GENERATION_FAILED', page: true, mixed: false },
      refused: { code: 'UNAUTHENTICATED', expired: true },
      renewed: { status: 'COMPLETED', error: null },
      reconnected: { status: 'COMPLETED', error: null, showed: true },
      streamed: { status: 'COMPLETED', error: null, whole: true, grows: true, ran: true },
      partial: { images: 3, bytes: true },
      unmounted: { later: 0 },
    });
  });

  it('has types', async () => {
    cpSync(join(root, 'sdk/react/examples/Progress.tsx'), join(folder, 'Progress.tsx'));
    const options = [
      '--strict',
      '--noEmit',
      '--target',
      'es2022',
      '--lib',
      'es2024,dom',
      '--jsx',
      'react-jsx',
    ];
    const resolution = ['--module', 'esnext', '--moduleResolution', 'bundler'];
    const args = [join(tools, 'typescript/bin/tsc'), ...options, ...resolution, 'Progress.tsx'];
    await expect(
      outputOf(process.execPath, args, { cwd: folder, env: process.env, timeoutMs: 60_000 }),
    ).resolves.toBe('');
  }, 90_000);

  it('is found by CommonJS', async () => {
    const program = "console.log(typeof require('@holdfast/react').useExecution)";
    writeFileSync(join(folder, 'main.cjs'), program);
    expect(await outputOf('node', ['main.cjs'], { cwd: folder, env: machineEnvironment() })).toBe(
      'function\n',
    );
  });
});

const browser = (process.env['PATH'] ?? '')
  .split(delimiter)
  .flatMap((folder) => ['chromium', 'chromium-browser', 'google-chrome'].map((name) => join(folder, name)))
  .find((path) => existsSync(path));

describe('a web page', () => {
  (browser ? it : it.skip)(
    'of another origin shows an execution with a token, and gets no secret key (skipped without Chromium)',
    async () => {
      const folder = await newProject('browser', '');
      cpSync(script('browser.mjs'), join(folder, 'browser.mjs'));
      await bundle(folder);
      const { base_url: baseUrl, api_key: key } = holdfast.readState();
      const api = apiClient(baseUrl, key);
      const input = { prompt: 'Hello', width: 16, height: 16 };
      const { body: created } = await api.post('/v1/executions', { model: 'sandbox-image', input });
      const { id } = created as { id: string };
      const { body } = await api.post(`/v1/executions/${id}/token`, {});
      const { token } = body as { token: string };
      expect(await reportOf(folder, { baseUrl, id, token, key })).toEqual({
        origin: expect.not.stringMatching(baseUrl),
        secretKey: expect.stringContaining('every visitor'),
        allowedKey: 'allowed',
        status: 'COMPLETED',
        format: 'png',
        types: expect.arrayContaining(['status']),
        sizes: [16, 16],
        balance: expect.stringMatching(/Error$/),
        elsewhere: 'NOT_FOUND',
      });
    },
    120_000,
  );
});

/** Bundles the page with everything it imports, as the build of a web site does. */
async function bundle(folder: string): Promise<void> {
  const config = `export default {
    entry: ['browser.mjs'], outDir: 'site', format: 'iife', platform: 'browser', dts: false, noExternal: [/./],
    define: { 'process.env.NODE_ENV': '"production"' },
  };`;
  writeFileSync(join(folder, 'tsdown.config.mjs'), config);
  const args = [join(tools, 'tsdown/dist/run.mjs'), '--config', 'tsdown.config.mjs'];
  await outputOf(process.execPath, args, { cwd: folder, env: process.env, timeoutMs: 60_000 });
}

/** What the page reports when Chromium opens it. */
async function reportOf(folder: string, facts: object): Promise<unknown> {
  const reported = Promise.withResolvers<string>();
  const server = createServer((request, response) => {
    if (request.method === 'POST') {
      text(request).then(reported.resolve, reported.reject);
      response.end();
    } else if (request.url?.endsWith('.js')) {
      response.setHeader('content-type', 'text/javascript');
      response.end(readFileSync(join(folder, 'site/browser.iife.js')));
    } else {
      response.setHeader('content-type', 'text/html');
      response.end('<!doctype html><body><script src="/page.js" defer></script>');
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://localhost:${(server.address() as AddressInfo).port}/#${encodeURIComponent(JSON.stringify(facts))}`;
  const profile = join(folder, 'profile');
  const args = [
    '--headless=new',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-dev-shm-usage',
    `--user-data-dir=${profile}`,
    url,
  ];
  const child = spawn(browser ?? 'chromium', args, { stdio: 'ignore', env: machineEnvironment() });
  child.on('exit', (code) => reported.reject(new Error(`Chromium ended with ${code}`)));
  try {
    return JSON.parse(await reported.promise);
  } finally {
    const exit = once(child, 'exit');
    child.kill();
    if (child.exitCode === null) await exit;
    server.close();
    server.closeAllConnections();
  }
}
