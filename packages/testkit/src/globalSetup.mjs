// Plain JavaScript: Jest imports this file itself, and from here on Node reads TypeScript natively.
import { publishTestServers } from './config.ts';
import { guardTestServers } from './servers/guard.ts';

export default async function globalSetup() {
  const { servers, stop } = await guardTestServers();
  publishTestServers(servers);
  globalThis.stopTestServers = stop;
}
