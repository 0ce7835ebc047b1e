import { createHash } from 'node:crypto';
import { realpathSync, rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LaunchError } from './launchError.ts';

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

function isAnswered(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(address, () => resolve(true));
    socket.on('error', () => resolve(false));
  });
}

/** Holds the folder until this process ends or calls the returned function. @throws LaunchError when it is held */
export async function lockHome(home: string): Promise<() => void> {
  const address = addressOf(home);
  let server = await tryListen(address);
  if (!server && !(await isAnswered(address))) {
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
