import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { outputOf } from '@holdfast/testkit/command';

const root = resolve(import.meta.dirname, '../..');
const { NODE_OPTIONS: _options, ...own } = process.env;
/** For installers and tools. None of them reports its use. */
export const toolEnvironment = {
  ...own,
  CI: 'true',
  DO_NOT_TRACK: '1',
  REDOCLY_TELEMETRY: 'off',
  SCARF_ANALYTICS: 'false',
};

/** Installs what the lockfile of a folder names, with our pnpm. */
export async function installDependencies(folder: string, ...flags: string[]): Promise<void> {
  const { packageManager } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'));
  const install = ['--yes', packageManager, 'install', '--pm-on-fail=ignore', `--dir=${folder}`];
  await outputOf('npx', [...install, '--frozen-lockfile', '--prefer-offline', ...flags], {
    env: toolEnvironment,
  });
}
