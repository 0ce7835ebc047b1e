import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { outputOf, runCommand } from '@holdfast/testkit/command';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pythonEnvironment } from '../providers/pythonEnvironment.ts';
import { describeBehaviour } from '../sdk/behaviourSuite.ts';
import { startDriver } from '../sdk/drivers.ts';
import { machineEnvironment } from '../sdk/installed.ts';

const sdk = resolve(import.meta.dirname, '../../sdk/python');

let folder: string;
let python: string;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-python-'));
  python = await pythonWithTools();
  env = await installSdk(folder);
}, 900_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The Python of an environment with everything that the SDK's `pyproject.toml` names, but without the SDK. */
async function pythonWithTools(): Promise<string> {
  const project = readFileSync(join(sdk, 'pyproject.toml'), 'utf8');
  const lists = [...project.matchAll(/^(?:requires|dependencies|dev) = \[(.*?)\]$/gms)];
  const requirements = lists.flatMap(([, list = '']) =>
    [...list.matchAll(/"([^"]+)"/g)].map(([, name = '']) => name),
  );
  const say = (line: string) => void process.stderr.write(`${line}\n`);
  const environment = await pythonEnvironment('sdk', requirements, say, new AbortController().signal);
  return join(environment, 'bin/python');
}

/** Builds the SDK and installs it, as `pip install holdfast` would. Returns the environment in which it is found. */
async function installSdk(target: string): Promise<NodeJS.ProcessEnv> {
  const options = ['--quiet', '--no-deps', '--no-build-isolation', '--disable-pip-version-check'];
  const args = ['-m', 'pip', 'install', ...options, '--target', target, sdk];
  await outputOf(python, args, { cwd: target, env: machineEnvironment(), timeoutMs: 120_000 });
  return { ...machineEnvironment(), PYTHONPATH: target };
}

async function expectSuccess(...args: string[]): Promise<void> {
  const { code, stdout, stderr } = await runCommand(python, args, { cwd: sdk, env });
  expect({ code, output: code === 0 ? '' : stdout + stderr }).toEqual({ code: 0, output: '' });
}

describe('the SDK of Python', () => {
  it('has models as in the OpenAPI document, and a synchronous client derived from the asynchronous one', async () => {
    await expectSuccess('tools/generate.py', '--check');
  }, 60_000);

  it('has no type errors in strict mode', async () => {
    await expectSuccess('-m', 'pyright', '--pythonpath', python);
  }, 120_000);

  it('has a reference of every resource', async () => {
    const reference = join(folder, 'reference');
    const options = { cwd: sdk, env: { ...env, PYTHON: python }, timeoutMs: 100_000 };
    await outputOf('tools/reference', [reference], options);
    const page = (name: string) => readFileSync(join(reference, 'holdfast', name), 'utf8');
    expect(page('_sync/executions.html')).toContain('id="Executions.create"');
    expect(page('_async/resources.html')).toContain('id="Webhooks.endpoints"');
  }, 120_000);

  it('passes its own tests', async () => {
    await expectSuccess('-m', 'pytest', '-q', '-p', 'no:cacheprovider');
  }, 240_000);
});

const startPython = async (...mode: string[]) =>
  startDriver(python, [join(sdk, 'behaviour.py'), ...mode], { cwd: folder, env });

describeBehaviour(
  {
    'Python, asynchronous': () => startPython(),
    'Python, synchronous': () => startPython('sync'),
  },
  // A thread cannot be aborted.
  (name, one) => name !== 'Python, synchronous' || !one.options?.abort_after_ms,
);
