// JavaScript because Jest imports it; from here on Node.js reads TypeScript.
import { publishTestServers } from './config.ts';
import { guardTestServers } from './servers/guard.ts';

export default async function globalSetup() {
  const { servers, stop } = await guardTestServers();
  publishTestServers(servers);
  globalThis.stopTestServers = stop;
}
