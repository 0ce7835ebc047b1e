import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { outputOf } from '@holdfast/testkit/command';

export const sdkFolder = resolve(import.meta.dirname, '../../sdk/typescript');
export const tarball = join(sdkFolder, 'package.tgz');

/** The environment without this tree's Node and tools: commands run with those of the machine. */
export function machineEnvironment(): NodeJS.ProcessEnv {
  const { PATH = '', NODE_OPTIONS: _options, ...env } = process.env;
  const folders = PATH.split(delimiter).filter((folder) => !folder.includes('node_modules'));
  return { ...env, PATH: folders.join(delimiter) };
}

/** Makes an empty project and installs the packed SDK, as `npm install @holdfast/sdk` would. */
export async function installTypeScriptSdk(folder: string, manifest: object): Promise<void> {
  if (!existsSync(tarball)) throw new Error(`${tarball} is missing: npm run test:sdk packs it`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'project', private: true, ...manifest }),
  );
  const args = ['install', '--offline', '--no-audit', '--no-fund', '--loglevel=error', tarball];
  await outputOf('npm', args, { cwd: folder, env: machineEnvironment(), timeoutMs: 120_000 });
}

/** Copies a file of the SDK into a project, where it resolves the installed package. */
export function copyFromSdk(path: string, folder: string): string {
  const copy = join(folder, path.split('/').at(-1) ?? path);
  cpSync(join(sdkFolder, path), copy);
  return copy;
}
