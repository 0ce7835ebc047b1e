import type { IncomingHttpHeaders } from 'node:http';
import { LRUCache } from 'lru-cache';
import { type Connections, createConnections } from './connections.ts';
import { type Exchange, exchange } from './exchange.ts';
import type { EgressPolicy, UrlProblem } from './policy.ts';
import { proxyFault } from './proxy.ts';
import { messageOf } from './response.ts';
import { tlsFault } from './tlsFaults.ts';

export type PostOptions = {
  url: string;
  body: Buffer | string;
  headers: Record<string, string>;
  timeoutMs: number;
  /** Counts all bytes that the receiver sends. A longer response is cut. */
  maxResponseBytes: number;
  policy: EgressPolicy;
  signal?: AbortSignal;
};

export type PostStage = 'policy' | 'dns' | 'connect' | 'tls' | 'timeout' | 'response' | 'aborted';

export type PostResult =
  | { ok: true; status: number; headers: IncomingHttpHeaders; body: Buffer; durationMs: number }
  | { ok: false; stage: PostStage; message: string; durationMs: number; isOwnFault?: true };

type Response = { status: number; headers: IncomingHttpHeaders; body: Buffer };
type Failure = { stage: PostStage; message: string; isOwnFault?: true };

/** One POST to an untrusted URL: no redirect, no retry, no decompression. Any status is `ok: true`. Never rejects. */
export async function postJson(options: PostOptions): Promise<PostResult> {
  const startMs = performance.now();
  const outcome = await attempt(options);
  const durationMs = Math.round(performance.now() - startMs);
  return 'stage' in outcome ? { ok: false, ...outcome, durationMs } : { ok: true, ...outcome, durationMs };
}

async function attempt(options: PostOptions): Promise<Response | Failure> {
  const { policy, body, timeoutMs, maxResponseBytes, signal } = options;
  const target = targetOf(policy, options.url);
  if ('code' in target) return { stage: 'policy', message: target.message };
  const result = await exchange(connectionsOf(policy), {
    ...target,
    method: 'POST',
    headers: headersOf(options.headers),
    body,
    timeoutMs,
    maxResponseBytes,
    signal,
  });
  if (!result.ok) return describeFailure(result, timeoutMs);
  const { status, headers } = result;
  return { status, headers, body: result.body.subarray(0, maxResponseBytes) };
}

export type Target = { origin: string; path: string };

const targetsByPolicy = new WeakMap<EgressPolicy, LRUCache<string, Target>>();

/** Allowed URLs are cached, because the result depends on the text alone. */
export function targetOf(policy: EgressPolicy, url: string): Target | UrlProblem {
  const targets = targetsOf(policy);
  const known = targets.get(url);
  if (known) return known;
  const problem = policy.checkUrl(url);
  if (problem) return problem;
  const { origin, pathname, search } = new URL(url);
  const target = { origin, path: pathname + search };
  targets.set(url, target);
  return target;
}

function targetsOf(policy: EgressPolicy): LRUCache<string, Target> {
  const existing = targetsByPolicy.get(policy);
  if (existing) return existing;
  const targets = new LRUCache<string, Target>({ max: 2048 });
  targetsByPolicy.set(policy, targets);
  return targets;
}

const connectionsByPolicy = new WeakMap<EgressPolicy, Connections>();

/** A connection is only reused under the policy under which it was dialled. */
export function connectionsOf(policy: EgressPolicy): Connections {
  const existing = connectionsByPolicy.get(policy);
  if (existing) return existing;
  const connections = createConnections(policy);
  connectionsByPolicy.set(policy, connections);
  return connections;
}

/** Keeps the case of names; of names that differ in case only, the later wins. undici sets the length. */
function headersOf(given: Record<string, string>): string[] {
  const headers = ['content-type', 'application/json'];
  const indexes = new Map([['content-type', 0]]);
  for (const name in given) {
    const key = name.toLowerCase();
    if (key === 'content-length') continue;
    const index = indexes.get(key) ?? headers.length;
    indexes.set(key, index);
    headers[index] = name;
    headers[index + 1] = given[name] ?? '';
  }
  return headers;
}

const awaited = {
  dialling: 'connection',
  handshaking: 'TLS handshake',
  connected: 'complete response',
  sent: 'complete response',
} as const;

function describeFailure({ cause, progress }: Extract<Exchange, { ok: false }>, timeoutMs: number): Failure {
  if (cause === 'aborted') return { stage: 'aborted', message: 'aborted' };
  if (cause === 'timeout') {
    return { stage: 'timeout', message: `no ${awaited[progress]} within ${timeoutMs} ms` };
  }
  const { code, syscall }: NodeJS.ErrnoException = cause;
  // Tenants read the message: Node's would contain the address.
  const stage = stageOf(cause, progress);
  const words = stage === 'tls' ? tlsFault(code) : null;
  const message = words ?? (syscall === 'connect' && code ? `connect ${code}` : messageOf(cause));
  const failure: Failure = { stage, message };
  return code === proxyFault ? { ...failure, isOwnFault: true } : failure;
}

/** The last two are undici's codes for invalid headers. */
const policyCodes = ['EGRESS_REFUSED', 'UND_ERR_INVALID_ARG', 'UND_ERR_NOT_SUPPORTED'];
const stages = { dialling: 'connect', handshaking: 'tls', connected: 'response', sent: 'response' } as const;

function stageOf(error: NodeJS.ErrnoException, progress: keyof typeof stages): PostStage {
  if (policyCodes.includes(error.code ?? '')) return 'policy';
  if (error.syscall === 'getaddrinfo') return 'dns';
  return stages[progress];
}
