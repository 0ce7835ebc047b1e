import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { outputOf } from '@holdfast/testkit/command';
import { pythonEnvironment } from '../../providers/pythonEnvironment.ts';
import { machineEnvironment } from '../sdk/installed.ts';

export const sdk = resolve(import.meta.dirname, '../../../sdk/python');

/** The Python of an environment with everything that the SDK's `pyproject.toml` names, but without the SDK. */
export async function pythonWithTools(): Promise<string> {
  const project = readFileSync(join(sdk, 'pyproject.toml'), 'utf8');
  const lists = [...project.matchAll(/^(?:requires|dependencies|dev) = \[(.*?)\]$/gms)];
  const requirements = lists.flatMap(([, list = '']) =>
    [...list.matchAll(/"([^"]+)"/g)].map(([, name = '']) => name),
  );
  const say = (line: string) => void process.stderr.write(`${line}\n`);
  const environment = await pythonEnvironment('sdk', requirements, say, new AbortController().signal);
  return join(environment, 'bin/python');
}

/** Builds the SDK and installs it into a folder, as `pip install holdfast` would. Returns the PYTHONPATH that has it. */
export async function installSdk(python: string, target: string): Promise<string> {
  const options = [
    '--quiet',
    '--no-deps',
    '--no-build-isolation',
    '--disable-pip-version-check',
    '--upgrade',
  ];
  const args = ['-m', 'pip', 'install', ...options, '--target', target, sdk];
  await outputOf(python, args, { cwd: target, env: machineEnvironment(), timeoutMs: 120_000 });
  return target;
}
