import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { LaunchError } from './launchError.ts';

function canListen(port: number, host?: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, ...(host === undefined ? {} : { host }) }, () => server.close(() => resolve(true)));
  });
}

/**
 * A free loopback port below the range that the kernel gives to outgoing connections, so that a service finds its
 * own port free again after a restart under load.
 */
export async function servicePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = randomInt(20_000, 32_000);
    if (await canListen(port, '127.0.0.1')) return port;
  }
  throw new LaunchError('No free port was found between 20000 and 32000.');
}

/** Throws LaunchError when something listens on the port already. */
export async function requireGatewayPort(port: number): Promise<void> {
  if (await canListen(port)) return;
  throw new LaunchError(
    `Port ${port} is in use or not permitted: end what listens there, or choose another with npm start -- --port N.`,
  );
}
