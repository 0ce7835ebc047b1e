import { cpSync, existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { outputOf } from '@holdfast/testkit/command';

export const sdkFolder = resolve(import.meta.dirname, '../../../sdk/typescript');
const tools = resolve(import.meta.dirname, '../../../sdk/tools/node_modules');

/** The packed npm packages. */
export const tarballs = {
  '@holdfast/sdk': join(sdkFolder, 'package.tgz'),
  '@holdfast/react': resolve(sdkFolder, '../react/package.tgz'),
} as const;

export type PackageName = keyof typeof tarballs;

/** The environment without this tree's Node and tools: commands run with those of the machine. */
export function machineEnvironment(): NodeJS.ProcessEnv {
  const { PATH = '', NODE_OPTIONS: _options, ...env } = process.env;
  const folders = PATH.split(delimiter).filter((folder) => !folder.includes('node_modules'));
  return { ...env, PATH: folders.join(delimiter) };
}

/** Makes an empty project and installs packed packages, as `npm install @holdfast/sdk` would. */
export async function installTypeScriptSdk(
  folder: string,
  manifest: object,
  names: readonly PackageName[] = ['@holdfast/sdk'],
): Promise<void> {
  const files = names.map((name) => tarballs[name]);
  const missing = files.find((file) => !existsSync(file));
  if (missing) throw new Error(`${missing} is missing: npm run test:acceptance -- sdk packs it`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'project', private: true, ...manifest }),
  );
  // Peers are copied into the project by its test: there is no registry.
  const options = ['--offline', '--legacy-peer-deps', '--no-audit', '--no-fund', '--loglevel=error'];
  const args = ['install', ...options, ...files];
  await outputOf('npm', args, { cwd: folder, env: machineEnvironment(), timeoutMs: 120_000 });
}

/** Copies a package of `sdk/tools` into a project, under the name that programs import. */
export function copyTool(name: string, folder: string, as = name): void {
  cpSync(realpathSync(join(tools, name)), join(folder, 'node_modules', as), { recursive: true });
}

/** Copies a file of the SDK into a project, where it resolves the installed package. */
export function copyFromSdk(path: string, folder: string): string {
  const copy = join(folder, path.split('/').at(-1) ?? path);
  cpSync(join(sdkFolder, path), copy);
  return copy;
}
