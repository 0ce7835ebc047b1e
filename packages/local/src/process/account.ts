import { execFileSync, spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';

export type Account = { uid: number; gid: number };

const accountName = 'holdfast';

/** The owner of `data`, else `holdfast` or `nobody`, because PostgreSQL refuses to run as root. Undefined: we are not root. */
export function serverAccount(data?: string): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const owner = data === undefined ? undefined : statSync(data, { throwIfNoEntry: false });
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const account = lookUp(accountName) ?? create() ?? lookUp('nobody');
  if (!account)
    throw new Error('PostgreSQL refuses to run as root, and there is no unprivileged user to run it as.');
  return account;
}

/** By asking the kernel, so that every rule counts. */
export function canRead(path: string, account: Account | undefined): boolean {
  return spawnSync('test', ['-r', path], { cwd: '/', ...account }).status === 0;
}

function create(): Account | undefined {
  const args = ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', accountName];
  for (let attempt = 1; ; attempt++) {
    const { status } = spawnSync('useradd', args);
    // Even when useradd failed: another process may have created it at the same moment.
    const account = lookUp(accountName);
    // 1 and 10: the password or group file is locked.
    if (account || attempt === 5 || (status !== 1 && status !== 10)) return account;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  }
}

function lookUp(name: string): Account | undefined {
  try {
    const id = (flag: string) =>
      Number(execFileSync('id', [flag, name], { stdio: ['ignore', 'pipe', 'ignore'] }));
    return { uid: id('-u'), gid: id('-g') };
  } catch {
    return undefined;
  }
}
