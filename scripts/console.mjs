import { mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { root, runNode, successful } from './child.mjs';
import { ensureTools, filesIn, hashOf, stampOf } from './dependencies.mjs';
import { withInstallLock } from './installLock.mjs';
import { test } from './jest.mjs';
import { testInBrowser } from './playwright.mjs';

const folder = path.join(root, 'packages/console');
const built = path.join(folder, 'dist');
const stamp = path.join(built, '.sources');

/** A file of a tool that builds or tests the console. */
const consoleTool = (file) => path.join(folder, 'node_modules', file);

/** The files beside `src`, those in it, and those of the domain that the console shares. */
function sources() {
  const beside = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  return [
    ...beside.map(({ name }) => `packages/console/${name}`),
    ...filesIn(path.join(folder, 'src')),
    ...filesIn(path.join(root, 'packages/domain/src/brand')),
    'packages/domain/src/codeSamples.ts',
    'packages/domain/src/contrast.ts',
    'packages/domain/src/json.ts',
    'packages/domain/src/priceLines.ts',
  ];
}

const sourcesHash = () => hashOf(...sources());
const isBuilt = () => stampOf(stamp) === sourcesHash();

/** Installs what builds and tests the console, when it has changed. It is no part of what `npm start` installs first. */
const ensureConsoleTools = () => ensureTools('packages/console', 'the console');

/** Builds the console, if its sources have changed since the last build. The gateway serves the new one at once. */
export async function ensureConsole() {
  if (isBuilt()) return;
  await ensureConsoleTools();
  await withInstallLock(async () => {
    if (isBuilt()) return;
    const hash = sourcesHash();
    const next = path.join(folder, `dist.${process.pid}`);
    try {
      for (const mode of ['console', 'portal'])
        await successful(`Building the ${mode}`, (onOutput) =>
          runNode([consoleTool('vite/bin/vite.js'), 'build', folder, '--mode', mode, '--outDir', next], {
            onOutput,
          }),
        );
      writeFileSync(path.join(next, '.sources'), hash);
      rmSync(built, { recursive: true, force: true });
      renameSync(next, built);
    } finally {
      rmSync(next, { recursive: true, force: true });
    }
  });
}

/** Its pages wait for it, and everything else does not. */
export function buildConsole() {
  ensureConsole().catch((error) =>
    console.error(`The console could not be built; everything else works.\n${error.message}`),
  );
}

/** Checks the types of the console, builds it, and runs `acceptance/browser/console` in a browser. */
export async function testConsole(args) {
  await ensureConsoleTools();
  // The portal's router has paths of its own, so its types are checked apart.
  for (const project of [folder, path.join(folder, 'src/portal')]) {
    await successful('Checking the types of the console', (onOutput) =>
      runNode([consoleTool('typescript/bin/tsc'), '--noEmit', '-p', project], { onOutput }),
    );
  }
  await ensureConsole();
  return await testInBrowser('console', args);
}

/** Runs `acceptance/clients/docs`, every sample included, then `acceptance/browser/site` in a browser; or what the arguments name of one. */
export async function testDocs(args) {
  if (args.some((arg) => arg.includes('browser/site'))) return await testInBrowser('site', args);
  const folder = mkdtempSync(path.join(tmpdir(), 'holdfast-python-'));
  try {
    const isSelection = args.some((arg) => arg.includes('/'));
    const selected = isSelection ? args : ['acceptance/clients/docs/', ...args];
    const samples = await test(selected, { env: await pythonWithSdk(folder) });
    return isSelection ? samples : Math.max(samples, await testInBrowser('site', []));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The variables of an interpreter with the SDK of this tree. Without one, the samples in Python are skipped. */
async function pythonWithSdk(folder) {
  let output = '';
  const args = ['--disable-warning=ExperimentalWarning', 'acceptance/clients/python/main.ts', folder];
  const code = await runNode(args, { onOutput: (text) => void (output += text) });
  if (code === 0) return { SDK_PYTHON: output.trim().split('\n').at(-1), PYTHONPATH: folder };
  console.error(
    `The samples in Python are skipped, because the Python SDK could not be installed:\n${output}`,
  );
  return {};
}
