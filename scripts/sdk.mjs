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
