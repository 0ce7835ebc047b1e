import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { root, UserError } from './child.mjs';
import { hashOf, runPnpm, stampOf } from './dependencies.mjs';
import { withInstallLock } from './installLock.mjs';

const folder = path.join(root, 'sdk/tools');
const stamp = path.join(folder, 'node_modules/.holdfast-install');

/** A file of a tool that builds or checks the SDKs. */
export const sdkTool = (file) => path.join('sdk/tools/node_modules', file);

const lockHash = () => hashOf('sdk/tools/pnpm-lock.yaml');
const isInstalled = () => stampOf(stamp) === lockHash();

/** Installs the tools of the SDKs when they have changed. They are no part of what `npm start` installs. */
export async function ensureSdkTools() {
  if (isInstalled()) return;
  await withInstallLock(async () => {
    if (isInstalled()) return;
    console.error('Installing the tools of the SDKs (only when they change) ...');
    let output = '';
    const args = [
      'install',
      `--dir=${folder}`,
      '--frozen-lockfile',
      '--prefer-offline',
      '--reporter=append-only',
    ];
    const onOutput = (text) => void (output += text);
    const code = await runPnpm(args, { env: { CI: 'true' }, onOutput });
    if (code !== 0)
      throw new UserError(`Installing the tools of the SDKs failed (exit code ${code}):\n${output}`);
    writeFileSync(stamp, lockHash());
  });
}
