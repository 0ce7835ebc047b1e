import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { outputOf } from '@holdfast/testkit/command';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type LocalHoldfast, startLocalHoldfast } from '../../stack/localHoldfast.ts';
import { copyFromSdk, installTypeScriptSdk, machineEnvironment, sdkFolder, tarballs } from './installed.ts';

const root = resolve(import.meta.dirname, '../../..');
const tools = join(root, 'sdk/tools/node_modules');
const home = mkdtempSync(join(tmpdir(), 'holdfast-sdk-'));
let holdfast: LocalHoldfast;

beforeAll(async () => {
  holdfast = await startLocalHoldfast(join(home, 'holdfast'));
}, 180_000);

afterAll(async () => {
  await holdfast.stop();
  rmSync(home, { recursive: true, force: true });
}, 30_000);

/** Runs a command in a project, with the machine's own Node, and the URL and key in the environment. */
function runIn(folder: string, command: string, ...args: string[]): Promise<string> {
  const { base_url: HOLDFAST_URL, api_key: HOLDFAST_API_KEY } = holdfast.readState();
  const env = { ...machineEnvironment(), HOLDFAST_URL, HOLDFAST_API_KEY };
  return outputOf(command, args, { cwd: folder, env, timeoutMs: 60_000 });
}

async function newProject(name: string, manifest: object): Promise<string> {
  const folder = join(home, name);
  await installTypeScriptSdk(folder, manifest);
  return folder;
}

/** A project of ES modules, for every program that runs with the package alone. */
let modules: string;
beforeAll(async () => {
  modules = await newProject('esm', { type: 'module' });
}, 120_000);

/** The fenced blocks of the README in one language. */
function snippets(language: string): string[] {
  const readme = readFileSync(join(sdkFolder, 'README.md'), 'utf8');
  return [...readme.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms'))].map(
    ([, text = '']) => text,
  );
}

describe.each(Object.entries(tarballs))('the package %s', (_name, tarball) => {
  it('passes publint', async () => {
    const script = `import { publint } from 'publint'; import { readFileSync } from 'node:fs';
      const tarball = Uint8Array.from(readFileSync(${JSON.stringify(tarball)})).buffer;
      const { messages } = await publint({ pack: { tarball }, strict: true });
      console.log(JSON.stringify(messages));`;
    const args = ['--input-type=module', '-e', script];
    const output = await outputOf(process.execPath, args, { cwd: join(root, 'sdk/tools'), env: process.env });
    expect(JSON.parse(output)).toEqual([]);
  });

  it('has types that every module resolution finds', async () => {
    const checker = join(tools, '@arethetypeswrong/cli/dist/index.js');
    const args = [checker, tarball, '--profile', 'node16', '--format', 'json'];
    const output = await outputOf(process.execPath, args, { cwd: home, env: process.env, timeoutMs: 60_000 });
    type Problem = { kind: string; resolutionKind?: string };
    const { analysis } = JSON.parse(output) as { analysis: { types: unknown; problems: Problem[] } };
    expect(analysis.types).toBeTruthy();
    // `node10` is the resolution of Node 10, which knows no `exports`; TypeScript 7 has dropped it.
    expect(analysis.problems.filter(({ resolutionKind }) => resolutionKind !== 'node10')).toEqual([]);
  });
});

describe('the package @holdfast/sdk', () => {
  it('has no dependencies', () => {
    const manifest = JSON.parse(readFileSync(join(sdkFolder, 'package.json'), 'utf8')) as object;
    expect(manifest).not.toHaveProperty('dependencies');
    expect(manifest).not.toHaveProperty('peerDependencies');
  });
});

describe('an empty project', () => {
  it('of ES modules runs the first programs of the README', async () => {
    const folder = modules;
    const [hello = '', files = ''] = snippets('ts');
    writeFileSync(join(folder, 'hello.mjs'), hello);
    expect(await runIn(folder, 'node', 'hello.mjs')).toContain('"Hello"');
    copyFromSdk('examples/files.mjs', folder);
    await runIn(folder, 'node', 'files.mjs');
    cpSync(join(folder, 'lighthouse.png'), join(folder, 'photo.jpg'));
    writeFileSync(join(folder, 'transform.mjs'), files);
    await runIn(folder, 'node', 'transform.mjs');
    expect(existsSync(join(folder, 'small.jpg'))).toBe(true);
  });

  it('of strict TypeScript compiles the programs of the README', async () => {
    const folder = await newProject('readme', { type: 'module' });
    const given = `import type { Execution, FileData, Holdfast, HoldfastError } from '@holdfast/sdk';
      declare global {
        const client: Holdfast, error: HoldfastError, model: string, input: Record<string, unknown>;
        const id: string, url: string, file: (path: string) => FileData;
        const queue: { add(id: string, data: unknown): Promise<void> };
        const process: { env: Record<string, string | undefined>; stdout: { write(text: string): unknown } };
      }`;
    const inline =
      readFileSync(join(sdkFolder, 'README.md'), 'utf8').match(/(?<=`)client\.run\([^`]*(?=`)/g) ?? [];
    const programs = [given, ...snippets('ts'), ...inline];
    for (const [n, text] of programs.entries())
      writeFileSync(join(folder, `${n}.mts`), `${text}\nexport {};\n`);
    const options = ['--strict', '--exactOptionalPropertyTypes', '--noEmit', '--target', 'es2022'];
    const files = programs.map((_text, n) => `${n}.mts`);
    const args = [
      join(tools, 'typescript/bin/tsc'),
      ...options,
      '--module',
      'nodenext',
      '--lib',
      'es2024,dom',
      ...files,
    ];
    const compiling = outputOf(process.execPath, args, { cwd: folder, env: process.env, timeoutMs: 60_000 });
    await expect(compiling).resolves.toBe('');
  }, 90_000);

  it('of CommonJS runs a model', async () => {
    const folder = await newProject('cjs', {});
    const program = `const { Holdfast, HoldfastError } = require('@holdfast/sdk');
      const { unwrap } = require('@holdfast/sdk/webhooks');
      new Holdfast().run('sandbox-text', { prompt: 'Hello' }).then(({ output }) => console.log(output.text));
      unwrap('{}', {}, 'whsec_AAAA').catch((error) => console.log(error instanceof HoldfastError));`;
    writeFileSync(join(folder, 'main.js'), program);
    expect(await runIn(folder, 'node', 'main.js')).toMatch(/^true\n.*"Hello"/);
  });

  it.each(['run', 'files', 'progress', 'stream', 'order'])('runs the example %s', async (name) => {
    copyFromSdk(`examples/${name}.mjs`, modules);
    const output = await runIn(modules, 'node', `${name}.mjs`);
    const expected = {
      run: /cost 0\.01/,
      files: /64 pixels wide/,
      progress: /again\n[^]*file_/,
      stream: /^You [^]*cost 0\.01/,
      order: /charged 0\.01/,
    };
    expect(output).toMatch(expected[name as keyof typeof expected]);
    if (name === 'order') expect(await runIn(modules, 'node', 'order.mjs')).toBe(output);
  });
});

describe('an execution token', () => {
  it('can read its execution and its files, and nothing else', async () => {
    const program = `import { Holdfast } from '@holdfast/sdk';
      const client = new Holdfast();
      const input = { prompt: 'Hello', width: 16, height: 16 };
      const created = await client.executions.create({ model: 'sandbox-image', input });
      const { token } = await client.executions.createToken(created.id, { ttlSeconds: 60 });
      const reader = new Holdfast({ apiKey: token });
      const types = [];
      for await (const { type } of reader.executions.events(created.id)) types.push(type);
      const ended = await reader.executions.wait(created.id);
      const bytes = await reader.output(ended).images[0].bytes();
      const refused = await reader.balance.get().catch((error) => error.status);
      console.log(JSON.stringify([ended.status, types.includes('status'), bytes.length > 0, refused]));`;
    writeFileSync(join(modules, 'main.mjs'), program);
    expect(JSON.parse(await runIn(modules, 'node', 'main.mjs'))).toEqual(['COMPLETED', true, true, 403]);
  });
});

describe('npx @holdfast/sdk types', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await newProject('typed', { type: 'module' });
    writeFileSync(
      join(folder, 'models.d.ts'),
      await runIn(folder, 'npx', '--no-install', 'holdfast-sdk', 'types'),
    );
    cpSync(copyFromSdk('examples/typed.ts', folder), join(folder, 'typed.mts'));
  });

  it.each([
    ['TypeScript 5', join(tools, 'typescript/bin/tsc'), 'nodenext'],
    ['TypeScript 5 for bundlers', join(tools, 'typescript/bin/tsc'), 'bundler'],
    ['TypeScript 7', join(root, 'node_modules/typescript/bin/tsc'), 'nodenext'],
  ])('lets %s check the runs of a program', async (_name, tsc, resolution) => {
    const module = resolution === 'bundler' ? 'esnext' : 'nodenext';
    const options = ['--strict', '--noEmit', '--target', 'es2022', '--lib', 'es2024,dom'];
    const args = [
      tsc,
      ...options,
      '--module',
      module,
      '--moduleResolution',
      resolution,
      'typed.ts',
      'models.d.ts',
    ];
    await expect(
      outputOf(process.execPath, args, { cwd: folder, env: process.env, timeoutMs: 60_000 }),
    ).resolves.toBe('');
  });

  it('explains which options are missing', async () => {
    const args = ['--no-install', 'holdfast-sdk', 'types'];
    const failing = outputOf('npx', args, { cwd: folder, env: machineEnvironment(), timeoutMs: 60_000 });
    await expect(failing).rejects.toThrow(/set HOLDFAST_/);
  });
});
