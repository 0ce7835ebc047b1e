import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root, runNode, UserError } from './child.mjs';
import { runPnpm } from './dependencies.mjs';
import { test } from './jest.mjs';
import { ensureSdkTools, sdkTool } from './sdkTools.mjs';

const folder = path.join(root, 'sdk/typescript');

async function successful(name, working) {
  let output = '';
  const code = await working((text) => void (output += text));
  if (code !== 0) throw new UserError(`${name} failed (exit code ${code}):\n${output}`);
}

/** Builds the TypeScript SDK and packs it as `sdk/typescript/package.tgz`. */
export async function packSdk() {
  await ensureSdkTools();
  rmSync(path.join(folder, 'dist'), { recursive: true, force: true });
  const config = path.join(folder, 'tsdown.config.ts');
  await successful('Building the SDK', (onOutput) =>
    runNode([sdkTool('tsdown/dist/run.mjs'), '--config', config], { onOutput }),
  );
  await successful('Packing the SDK', (onOutput) =>
    runPnpm(['pack', `--dir=${folder}`, `--out=${path.join(folder, 'package.tgz')}`], { onOutput }),
  );
}

/** Runs `acceptance/sdk` on the packed SDKs. */
export async function testSdks(args) {
  await packSdk();
  return await test(args, { only: ['sdk'] });
}

function replaceIn(file, pattern, replacement) {
  const full = path.join(folder, file);
  const before = readFileSync(full, 'utf8');
  if (!pattern.test(before)) throw new UserError(`${file} has no version.`);
  writeFileSync(full, before.replace(pattern, replacement));
}

/**
 * Prepares a release of the SDK: sets the version, packs, checks the package and writes the reference. Publishes nothing:
 * that needs the rights of a maintainer.
 */
export async function releaseSdk([version, ...rest]) {
  if (rest.length > 0 || !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version ?? '')) {
    throw new UserError('Usage: npm run sdk:release -- 1.2.3');
  }
  replaceIn('package.json', /"version": "[^"]+"/, `"version": "${version}"`);
  replaceIn('src/config.ts', /version = '[^']+'/, `version = '${version}'`);
  await packSdk();
  const tarball = path.join(folder, 'package.tgz');
  const steps = {
    publint: ['publint/src/cli.js', tarball, '--strict'],
    'are the types wrong': ['@arethetypeswrong/cli/dist/index.js', tarball, '--profile', 'node16'],
    'the reference': ['typedoc/bin/typedoc', '--options', path.join(folder, 'typedoc.json')],
  };
  for (const [name, [tool, ...args]] of Object.entries(steps)) {
    await successful(name, (onOutput) => runNode([sdkTool(tool), ...args], { onOutput }));
  }
  console.log(`${tarball} is version ${version}; the reference is sdk/typescript/reference.`);
  console.log('Commit the version, then: npm publish sdk/typescript/package.tgz');
  return 0;
}
