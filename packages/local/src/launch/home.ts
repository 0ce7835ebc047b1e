import { createHash } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { reasonOf } from '@holdfast/kit/within';
import { removePostgresData } from '../postgres/dataFolder.ts';
import { LaunchError } from './launchError.ts';

export type Home = {
  /** Logs, cache, secrets.json and local.json. */
  folder: string;
  /** Postgres, Redis and files: the same folder, or a temporary one with --ephemeral. */
  data: string;
  statePath: string;
  secretsPath: string;
};

export function openHome(folder: string, isEphemeral: boolean): Home {
  try {
    const home = resolve(folder);
    requireWritable(home);
    mkdirSync(home, { recursive: true });
    const data = isEphemeral ? mkdtempSync(join(tmpdir(), 'holdfast-')) : home;
    // As root we run Postgres as another user, which must be able to enter.
    if (isEphemeral) chmodSync(data, 0o711);
    mkdirSync(join(data, 'files'), { recursive: true, mode: 0o700 });
    const secretsPath = join(data, 'secrets.json');
    return { folder: home, data, statePath: join(home, 'local.json'), secretsPath };
  } catch (error) {
    throw new LaunchError(`${folder} can't be used: ${reasonOf(error)}`);
  }
}

/** Before a recursive mkdir, which reports ENOENT on a read-only disk. */
function requireWritable(folder: string): void {
  if (!existsSync(folder)) return requireWritable(dirname(folder));
  try {
    accessSync(folder, constants.W_OK);
  } catch (error) {
    throw new Error(`${folder} is not writable`, { cause: error });
  }
}

/** Call it when every process that used the data has ended. */
export function removeEphemeralData(home: Home): void {
  if (home.data === home.folder) return;
  removePostgresData(join(home.data, 'postgres'));
  rmSync(home.data, { recursive: true, force: true });
}

// Linux drops an abstract socket with its process, so that a killed launcher leaves no lock behind.
function addressOf(home: string): string {
  const hash = createHash('sha256').update(realpathSync(home)).digest('hex').slice(0, 16);
  return process.platform === 'linux'
    ? `\0holdfast-home-${hash}`
    : join(tmpdir(), `holdfast-home-${hash}.sock`);
}

function tryListen(address: string): Promise<Server | null> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(null) : reject(error),
    );
    server.listen(address, () => resolve(server.unref()));
  });
}

function respondsAt(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(address, () => resolve(true));
    socket.on('error', () => resolve(false));
  });
}

/** Holds the folder until this process ends or calls the returned function. @throws LaunchError when it is held */
export async function lockHome(home: string): Promise<() => void> {
  const address = addressOf(home);
  let server = await tryListen(address);
  if (!server && !(await respondsAt(address))) {
    if (!address.startsWith('\0')) rmSync(address, { force: true });
    server = await tryListen(address);
  }
  if (!server) {
    throw new LaunchError(
      `Holdfast runs on ${home} already: end that one, or choose another folder by HOLDFAST_HOME.`,
    );
  }
  const held = server;
  return () => void held.close();
}

/** Mode 600; readers see the old content or the new, never a part. @throws LaunchError, for example when the disk is full */
export function writePrivateJson(path: string, value: unknown): void {
  const draft = `${path}.${process.pid}.tmp`;
  rmSync(draft, { force: true });
  try {
    writeFileSync(draft, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw new LaunchError(`${path} can't be written: ${reasonOf(error)}`);
  }
}

/** Undefined for a missing file. @throws for invalid JSON */
export function readJson(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  return JSON.parse(text);
}
