import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root, runNode, successful, UserError } from './child.mjs';
import { runPnpm } from './dependencies.mjs';
import { test } from './jest.mjs';
import { ensureSdkTools, sdkTool } from './sdkTools.mjs';

/** The npm packages, each after what it needs. They have one version. */
const packages = ['sdk/typescript', 'sdk/react'];

const tarballOf = (folder) => path.join(root, folder, 'package.tgz');

/** Builds the npm packages and packs each as `package.tgz`. */
export async function packSdks() {
  await ensureSdkTools();
  for (const folder of packages) {
    rmSync(path.join(root, folder, 'dist'), { recursive: true, force: true });
    const config = path.join(root, folder, 'tsdown.config.ts');
    await successful(`Building ${folder}`, (onOutput) =>
      runNode([sdkTool('tsdown/dist/run.mjs'), '--config', config], { onOutput }),
    );
    await successful(`Packing ${folder}`, (onOutput) =>
      runPnpm(['pack', `--dir=${path.join(root, folder)}`, `--out=${tarballOf(folder)}`], { onOutput }),
    );
  }
}

/** Packs the npm packages, to install them from this checkout. */
export async function packForInstall() {
  await packSdks();
  for (const folder of packages) console.log(`npm install ${tarballOf(folder)}`);
  return 0;
}

/** Runs `acceptance/clients/sdk` on the packed SDKs. */
export async function testSdks(args) {
  await packSdks();
  return await test(args, { only: ['sdk'] });
}

/** Runs `acceptance/clients/python`, which installs the Python SDK from PyPI's packages. */
export const testPython = (args) => test(args, { only: ['python'] });

function replaceIn(file, pattern, replacement) {
  const full = path.join(root, file);
  const before = readFileSync(full, 'utf8');
  if (!pattern.test(before)) throw new UserError(`${file} has no version.`);
  writeFileSync(full, before.replace(pattern, replacement));
}

/** Checks a packed package and writes its reference. */
async function checkPackage(folder) {
  const steps = {
    publint: ['publint/src/cli.js', tarballOf(folder), '--strict'],
    'are the types wrong': ['@arethetypeswrong/cli/dist/index.js', tarballOf(folder), '--profile', 'node16'],
    'the reference': ['typedoc/bin/typedoc', '--options', path.join(root, folder, 'typedoc.json')],
  };
  for (const [name, [tool, ...args]] of Object.entries(steps)) {
    await successful(`${folder}: ${name}`, (onOutput) => runNode([sdkTool(tool), ...args], { onOutput }));
  }
}

/**
 * Prepares a release of the npm packages: sets their version, packs and checks them, and writes their references. Publishes
 * nothing: that needs the rights of a maintainer.
 */
export async function releaseSdks(version) {
  if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
    throw new UserError(`${version} is not a version like 1.2.3.`);
  for (const folder of packages) {
    replaceIn(`${folder}/package.json`, /"version": "[^"]+"/, `"version": "${version}"`);
  }
  replaceIn('sdk/typescript/src/config.ts', /version = '[^']+'/, `version = '${version}'`);
  await packSdks();
  for (const folder of packages) await checkPackage(folder);
  console.log(`${packages.join(' and ')} are version ${version}; each has package.tgz and reference/.`);
  console.log(
    `Commit the version, then: ${packages.map((one) => `npm publish ${one}/package.tgz`).join(' && ')}`,
  );
}
