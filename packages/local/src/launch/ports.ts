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

/** A port below the kernel's range for outgoing connections, so that it is still free when a service restarts. */
export async function servicePort(): Promise<number> {
  return await freePortOf(20_000, 32_000);
}

const webhooksPorts = { from: 15_000, to: 20_000 } as const;

/** The `kept` port if free. Tenants reach it, so it lies below the range of `servicePort`: no service may ever use it. */
export async function webhooksPort(kept: number | undefined, used: number[]): Promise<number> {
  const { from, to } = webhooksPorts;
  const port = kept ?? 0;
  const isOurs = Number.isInteger(port) && port >= from && port < to && !used.includes(port);
  return isOurs && (await canListen(port, '127.0.0.1')) ? port : await freePortOf(from, to, used);
}

const firstAdminPort = 8081;
const adminPorts = 100;

/** The `kept` port while it is free, so that bookmarks of the console keep working; else 8081 or the next free one. */
export async function adminPort(kept: number | undefined, used: number[]): Promise<number> {
  const candidates = [
    kept ?? firstAdminPort,
    ...Array.from({ length: adminPorts }, (_, n) => firstAdminPort + n),
  ];
  for (const port of candidates) {
    if (used.includes(port) || named.has(port)) continue;
    const isReserved = reserved.has(port) || (await reserve(port));
    if (isReserved && (await canListen(port, '127.0.0.1'))) return port;
  }
  return await servicePort();
}

/** Named by settings: perhaps nothing listens there yet. */
const named = new Set<number>();

/** Gives these ports, which settings name, to no service. */
export function reservePorts(ports: readonly number[]): void {
  for (const port of ports) named.add(port);
}

/** By this process. */
const reserved = new Set<number>();

async function freePortOf(from: number, to: number, used: number[] = []): Promise<number> {
  const first = randomInt(from, to);
  for (let next = first; next < first + (to - from); next++) {
    const port = next < to ? next : next - (to - from);
    if (used.includes(port) || named.has(port)) continue;
    if ((await reserve(port)) && (await canListen(port, '127.0.0.1'))) return port;
  }
  throw new LaunchError(`No free port was found between ${from} and ${to}.`);
}

/**
 * For as long as this process runs, since some seconds pass until a service listens there: only one launcher can listen on the
 * abstract socket of this name. False: another one does.
 */
function reserve(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().unref();
    // Only Linux has abstract sockets.
    server.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code !== 'EADDRINUSE'));
    server.listen(`\0holdfast-port-${port}`, () => {
      reserved.add(port);
      resolve(true);
    });
  });
}

/** @throws LaunchError when another process listens on the port */
export async function requireGatewayPort(port: number): Promise<void> {
  if (await canListen(port)) return;
  throw new LaunchError(
    `Port ${port} is in use or not permitted: end what listens there, or choose another with npm start -- --port N.`,
  );
}
