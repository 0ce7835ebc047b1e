import { execFileSync, spawnSync } from 'node:child_process';

/** A user that servers run as. */
export type Account = { uid: number; gid: number };

const accountName = 'holdfast';

/**
 * The unprivileged user that PostgreSQL runs as when we are root, which it refuses to serve; undefined when we are
 * an ordinary user. Made on first use (`holdfast`, a system user); where users can't be made, it is `nobody`.
 */
export function serverAccount(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const account = lookUp(accountName) ?? create() ?? lookUp('nobody');
  if (!account)
    throw new Error('PostgreSQL refuses to run as root, and there is no unprivileged user to run it as.');
  return account;
}

/** True when `account` (or we, without one) can read `path`. Asked of the kernel, so every rule counts. */
export function canRead(path: string, account: Account | undefined): boolean {
  return spawnSync('test', ['-r', path], { cwd: '/', ...account }).status === 0;
}

function create(): Account | undefined {
  spawnSync('useradd', [
    '--system',
    '--user-group',
    '--no-create-home',
    '--shell',
    '/usr/sbin/nologin',
    accountName,
  ]);
  // Looked up whatever useradd says: another process may have made it in the same moment.
  return lookUp(accountName);
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
