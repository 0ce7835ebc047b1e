import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from '@jest/globals';
import { openHome, writePrivateJson } from './home.ts';
import { LaunchError } from './launchError.ts';

it('makes a folder below others that are missing', () => {
  const root = mkdtempSync(join(tmpdir(), 'holdfast-home-'));
  openHome(join(root, 'a/b'), false);
  expect(existsSync(join(root, 'a/b/files'))).toBe(true);
  rmSync(root, { recursive: true });
});

// In a process of its own: where not even root can write, a recursive mkdir of Node can hang.
it.each(['/proc/sys', '/proc/sys/a/b'])(
  'says that the folder is not writable (%s)',
  (folder) => {
    const program = `
    import { openHome } from '${pathToFileURL(`${import.meta.dirname}/home.ts`).href}';
    openHome('${folder}', false);`;
    const { stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
      encoding: 'utf8',
      timeout: 10_000,
      killSignal: 'SIGKILL',
    });
    expect(stderr).toContain(`${folder} can't be used: /proc/sys is not writable\n`);
  },
  20_000,
);

it('says which file cannot be written, and leaves no draft of it', () => {
  const root = mkdtempSync(join(tmpdir(), 'holdfast-home-'));
  const path = join(root, 'secrets.json');
  mkdirSync(path);
  const write = () => writePrivateJson(path, {});
  expect(write).toThrow(LaunchError);
  expect(write).toThrow(`${path} can't be written: E`);
  expect(readdirSync(root)).toEqual(['secrets.json']);
  rmSync(root, { recursive: true });
});
