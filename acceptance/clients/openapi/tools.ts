import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type CommandResult, outputOf, runCommand } from '@holdfast/testkit/command';
import { testFolder } from '@holdfast/testkit/testFolder';
import { pythonEnvironment, Skipped } from '../../providers/pythonEnvironment.ts';
import { toolEnvironment as env, installDependencies } from '../../stack/dependencies.ts';

const root = resolve(import.meta.dirname, '../../..');
const tools = join(import.meta.dirname, 'tools');

/** A new folder with the document, in which the tools write. */
export function newWorkFolder(): string {
  const folder = testFolder('openapi');
  writeFileSync(join(folder, 'openapi.json'), readFileSync(join(root, 'docs/openapi.json')));
  return folder;
}

/** `npm start` does not need them. */
export const installTools = () => installDependencies(tools);

/** The path of a file of a tool. */
export const toolFile = (file: string) => join(tools, 'node_modules', file);

/** Runs a tool in this folder, by its file in `node_modules`. */
export function runTool(folder: string, file: string, ...args: string[]): Promise<CommandResult> {
  return runCommand(process.execPath, [toolFile(file), ...args], { cwd: folder, env });
}

/** Runs openapi-python-client; null, with the reason on the console, where it cannot be installed. */
export async function runPythonGenerator(folder: string): Promise<CommandResult | null> {
  try {
    const { signal } = new AbortController();
    const requirements = ['openapi-python-client==0.29.1'];
    const environment = await pythonEnvironment('openapi', requirements, console.warn, signal);
    writeFileSync(
      join(folder, 'python.yaml'),
      'post_hooks: []\ncontent_type_overrides:\n  application/x-ndjson: application/octet-stream\n',
    );
    const args = [
      'generate',
      '--path=openapi.json',
      '--meta=none',
      '--output-path=client',
      '--config=python.yaml',
    ];
    const generator = join(environment, 'bin/openapi-python-client');
    const result = await runCommand(generator, args, { cwd: folder, env });
    if (result.code !== 0) return result;
    const compiled = ['-m', 'compileall', '-q', 'client'];
    await outputOf(join(environment, 'bin/python'), compiled, { cwd: folder, env });
    return result;
  } catch (error) {
    if (!(error instanceof Skipped)) throw error;
    console.warn(`openapi-python-client is not run: ${error.message}.`);
    return null;
  }
}
