import http from 'node:http';
import https from 'node:https';
import type { Duplex } from 'node:stream';
import { createTlsSessions, idleTimeoutMs, maxAgeMs } from './connections.ts';
import { dial, type Guard } from './dial.ts';

type Agents = { http: http.Agent; https: https.Agent };

const settings = {
  keepAlive: true,
  timeout: idleTimeoutMs,
  maxFreeSockets: 256,
  scheduling: 'lifo',
} as const;

/** For what nobody waits for any more; who waits has a time limit of his own. */
const dialTimeoutMs = 60_000;

const agentsByOwner = new WeakMap<object, Agents>();

/**
 * The connections of one owner (a policy): they were dialled under its rules and are reused under no other's.
 * `guard`: whom to ask before dialling; none: what the operator configured.
 */
export function agentsOf(owner: object, guard?: Guard): Agents {
  const existing = agentsByOwner.get(owner);
  if (existing) return existing;
  const agents = { http: new http.Agent(settings), https: new https.Agent(settings) };
  if (guard) {
    dialUnder(agents.http, 'http:', guard);
    dialUnder(agents.https, 'https:', guard);
  }
  agentsByOwner.set(owner, agents);
  return agents;
}

function dialUnder(agent: http.Agent, protocol: string, guard: Guard): void {
  const sessions = createTlsSessions();
  const openedAtMs = new WeakMap<object, number>();
  agent.createConnection = ({ host, port }, callback) => {
    const origin = `${protocol}//${host?.includes(':') ? `[${host}]` : host}:${port}`;
    const done = (error: Error | null, socket: Duplex | null) => {
      clearTimeout(timer);
      if (socket) openedAtMs.set(socket, performance.now());
      // Node takes an error alone; its type asks for a stream beside it.
      callback?.(error, socket as Duplex);
    };
    const timer = setTimeout(() => {
      dialling.destroy();
      done(new Error(`not connected within ${dialTimeoutMs} ms`), null);
    }, dialTimeoutMs);
    const dialling = dial({ origin, guard, sessions, onProgress: () => {}, onDone: done });
    return undefined;
  };
  const keep = agent.keepSocketAlive.bind(agent);
  agent.keepSocketAlive = (socket) =>
    performance.now() - (openedAtMs.get(socket) ?? 0) < maxAgeMs && keep(socket);
}
