import { createServer } from 'node:net';

export function freePort(): Promise<number> {
  return listenOnce(0);
}

export async function requireFree(port: number): Promise<void> {
  try {
    await listenOnce(port);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === 'EADDRINUSE' ? 'is in use.' : `can't be used (${code}).`;
    throw new Error(`Port ${port} ${reason}`, { cause: error });
  }
}

function listenOnce(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      const chosen = typeof address === 'object' && address !== null ? address.port : port;
      server.close(() => resolve(chosen));
    });
  });
}
