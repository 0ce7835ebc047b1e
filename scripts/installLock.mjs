import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { root } from './child.mjs';

const hash = createHash('sha256').update(root).digest('hex').slice(0, 16);
// Linux drops an abstract socket with its process, so a killed install leaves no lock behind.
const abstract = process.platform === 'linux';
const address = abstract
  ? `\0holdfast-install-${hash}`
  : path.join(os.tmpdir(), `holdfast-install-${hash}.sock`);

function tryListen() {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once('error', (error) => (error.code === 'EADDRINUSE' ? resolve(null) : reject(error)));
    server.listen(address, () => resolve(server));
  });
}

/** Resolves when the holder releases the lock; removes a socket file without a listener. */
function holderGone() {
  return new Promise((resolve) => {
    const socket = net.connect(address);
    socket.once('error', () => {
      if (!abstract) rmSync(address, { force: true });
    });
    socket.once('close', resolve);
  });
}

/** Holds the clone's install lock while `work` runs; a second caller waits for the first. */
export async function withInstallLock(work) {
  let server = await tryListen();
  if (!server) console.error('Another command is preparing this clone; waiting for it.');
  while (!server) {
    await holderGone();
    server = await tryListen();
  }
  const waiting = new Set();
  server.on('connection', (socket) => {
    waiting.add(socket.on('error', () => {}));
  });
  try {
    return await work();
  } finally {
    server.close();
    for (const socket of waiting) socket.destroy();
  }
}
