import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { type Account, canRead } from '../process/account.ts';
import { folderOwner } from '../process/processes.ts';
import { failureLine } from '../process/server.ts';

/** For data that the servers' account must reach while the clone lies below a closed folder. */
export const sharedFolder = '/var/lib/holdfast';

/** `dataDir`, or a folder named after it below /var/lib/holdfast when the account can't reach it (a clone in root's home). */
export function serverFolder(dataDir: string, account: Account | undefined): string {
  const isFresh = !existsSync(dataDir);
  const folder = make(resolve(dataDir), account);
  if (canRead(folder, account)) return folder;
  const substituted = substitute(folder);
  // An operator who deleted `dataDir` meant the data, wherever it is.
  if (isFresh && folderOwner(substituted) === null) rmSync(substituted, { recursive: true, force: true });
  return make(substituted, account);
}

export function postgresFolders(dataDir: string): string[] {
  const folder = resolve(dataDir);
  return [folder, substitute(folder)];
}

/** Stop the server first. */
export function removePostgresData(dataDir: string): void {
  for (const path of postgresFolders(dataDir)) rmSync(path, { recursive: true, force: true });
}

function substitute(folder: string): string {
  const key = createHash('sha256').update(folder).digest('hex').slice(0, 12);
  return join(sharedFolder, `${basename(folder)}-${key}`);
}

function make(folder: string, account: Account | undefined): string {
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  if (account) chownSync(folder, account.uid, account.gid);
  return realpathSync(folder);
}

const major = '17';

export const owner = 'holdfast';

type Cluster = { binaries: string; folder: string; account: Account | undefined; isDurable: boolean };

/** Returns the owner's password. @throws when the existing data is damaged */
export async function initialise(cluster: Cluster): Promise<{ data: string; password: string }> {
  const data = join(cluster.folder, 'data');
  const passwordFile = join(cluster.folder, 'password');
  if (!existsSync(data) || readdirSync(data).length === 0) await create(cluster, data, passwordFile);
  requireSound(data, passwordFile);
  return { data, password: readFileSync(passwordFile, 'utf8').trim() };
}

// Under another name first: an interrupted run must not leave something that looks like data.
async function create(cluster: Cluster, data: string, passwordFile: string): Promise<void> {
  const { binaries, account, isDurable } = cluster;
  const unfinished = `${data}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  rmSync(passwordFile, { force: true });
  writeFileSync(passwordFile, `${randomBytes(24).toString('hex')}\n`, { mode: 0o600 });
  if (account) chownSync(passwordFile, account.uid, account.gid);
  const args = ['-D', unfinished, '-U', owner, '-A', 'scram-sha-256', `--pwfile=${passwordFile}`];
  args.push('--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--encoding=UTF8');
  if (!isDurable) args.push('--no-sync');
  await run(join(binaries, 'bin', 'initdb'), args, account);
  rmSync(data, { recursive: true, force: true });
  renameSync(unfinished, data);
}

function requireSound(data: string, passwordFile: string): void {
  const versionFile = join(data, 'PG_VERSION');
  if (!existsSync(versionFile)) throw new Error(`The data folder ${data} is damaged: PG_VERSION is missing.`);
  const version = readFileSync(versionFile, 'utf8').trim();
  if (version !== major) {
    throw new Error(`The data folder ${data} was made by PostgreSQL "${version}", this is ${major}.`);
  }
  if (!existsSync(passwordFile)) throw new Error(`The password file ${passwordFile} is missing.`);
}

async function run(command: string, args: string[], account: Account | undefined): Promise<void> {
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', TZ: 'UTC' };
  try {
    await promisify(execFile)(command, args, { cwd: '/', env, ...account });
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    throw new Error(`PostgreSQL's data folder can't be made: ${stderr ? reasonIn(stderr) : message}`, {
      cause: error,
    });
  }
}

const shownLines = 12;

/** The line that names the cause, then everything else that initdb said: its last lines are about cleaning up. */
export function reasonIn(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '' && !line.includes(': removing '));
  const cause = failureLine(lines);
  if (lines.length < 2) return cause;
  return [cause, ...lines.slice(-shownLines).map((line) => `  ${line}`)].join('\n');
}
