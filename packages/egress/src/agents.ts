import http from 'node:http';
import https from 'node:https';
import { idleTimeoutMs } from './idleTimeout.ts';

type Agents = { http: http.Agent; https: https.Agent };

const settings = {
  keepAlive: true,
  timeout: idleTimeoutMs,
  maxFreeSockets: 256,
  scheduling: 'lifo',
} as const;

const agentsByOwner = new WeakMap<object, Agents>();

/** The connections of one owner (a policy): they were dialled under its rules and are reused under no other's. */
export function agentsOf(owner: object): Agents {
  const existing = agentsByOwner.get(owner);
  if (existing) return existing;
  const agents = { http: new http.Agent(settings), https: new https.Agent(settings) };
  agentsByOwner.set(owner, agents);
  return agents;
}
