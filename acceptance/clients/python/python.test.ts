import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { outputOf, runCommand } from '@holdfast/testkit/command';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeBehaviour } from '../sdk/behaviourSuite.ts';
import { startDriver } from '../sdk/drivers.ts';
import { machineEnvironment } from '../sdk/installed.ts';
import { installSdk, pythonWithTools, sdk } from './environment.ts';

let folder: string;
let python: string;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-python-'));
  python = await pythonWithTools();
  env = { ...machineEnvironment(), PYTHONPATH: await installSdk(python, folder) };
}, 900_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

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

  it('has programs in its README without type errors', async () => {
    const readme = readFileSync(join(sdk, 'README.md'), 'utf8');
    const programs = [...readme.matchAll(/^```python\n(.*?)^```/gms)].map(([, text = '']) => text);
    const given = `import asyncio
from pathlib import Path
from holdfast import Holdfast, HoldfastError, WebhookEvent
client, error, path = Holdfast(), HoldfastError("", code=""), Path()
model = id = url = SECRET = ""
input: dict[str, object] = {}
queue: asyncio.Queue[WebhookEvent] = asyncio.Queue()
`;
    const inline = readme.match(/(?<=`)client\.run\([^`]*(?=`)/g) ?? [];
    // The last one needs the module that `holdfast-sdk types` writes.
    const checked = [...programs.filter((text) => !text.includes('holdfast_models')), ...inline];
    const files = checked.map((text, n) => {
      const file = join(folder, `readme_${n}.py`);
      writeFileSync(file, given + text);
      return file;
    });
    await expectSuccess('-m', 'pyright', '--pythonpath', python, ...files);
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
