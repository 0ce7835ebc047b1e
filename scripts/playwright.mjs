import { existsSync } from 'node:fs';
import { run, runNode, successful, UserError } from './child.mjs';
import { compileCache, ensureCompiled } from './dependencies.mjs';

const chromium = '/usr/bin/chromium';

/** Debian's; as root it is installed where it is missing. */
async function ensureChromium() {
  if (existsSync(chromium)) return;
  if (process.getuid?.() !== 0)
    throw new UserError('Chromium is missing: apt-get install chromium, then run this again.');
  const install = ['install', '--yes', '--no-install-recommends', 'chromium'];
  for (const args of [['update'], install])
    await successful('Installing Chromium', (onOutput) => run('apt-get', args, { onOutput }));
}

/** Runs a project of `acceptance/browser/playwright.config.ts`, with Playwright's arguments: a path, `-g title`. */
export async function testInBrowser(project, args) {
  await ensureChromium();
  await ensureCompiled();
  const program = 'acceptance/node_modules/@playwright/test/cli.js';
  const config = ['--config=acceptance/browser/playwright.config.ts', `--project=${project}`];
  return await runNode(['--disable-warning=ExperimentalWarning', program, 'test', ...config, ...args], {
    env: { NODE_COMPILE_CACHE: compileCache },
  });
}
