import http from 'node:http';
import https from 'node:https';

export type Agents = { http: http.Agent; https: https.Agent };

/**
 * Idle connections are closed before common servers close theirs (2 s and up), so that a request is
 * seldom lost to a connection which is being closed at the other end.
 */
const idleTimeoutMs = 1500;
const settings = {
  keepAlive: true,
  timeout: idleTimeoutMs,
  maxFreeSockets: 256,
  scheduling: 'lifo',
} as const;

export function createAgents(): Agents {
  return { http: new http.Agent(settings), https: new https.Agent(settings) };
}

export function closeAgents(agents: Agents): void {
  agents.http.destroy();
  agents.https.destroy();
}

const agentsByOwner = new WeakMap<object, Agents>();

/** The connections of one owner (a policy): they were dialled under its rules and are reused under no other's. */
export function agentsOf(owner: object): Agents {
  const existing = agentsByOwner.get(owner);
  if (existing) return existing;
  const agents = createAgents();
  agentsByOwner.set(owner, agents);
  return agents;
}
