import type { IncomingHttpHeaders } from 'node:http';
import { type Connections, createConnections } from './connections.ts';
import { type Exchange, exchange } from './exchange.ts';
import type { EgressPolicy } from './policy.ts';
import { targetOf } from './policy.ts';
import { proxyFault } from './proxy.ts';
import { messageOf } from './response.ts';

export type PostOptions = {
  url: string;
  body: Buffer | string;
  headers: Record<string, string>;
  /** Total: look-up, connect, TLS, request, headers and body. */
  timeoutMs: number;
  /** Of all that the receiver sends. When it is more, no more is read; what came counts as the answer. */
  maxResponseBytes: number;
  policy: EgressPolicy;
  signal?: AbortSignal;
};

export type PostStage = 'policy' | 'dns' | 'connect' | 'tls' | 'timeout' | 'response' | 'aborted';

export type PostResult =
  /** `body`: as it was sent, compressed or not; at most `maxResponseBytes`. */
  | { ok: true; status: number; headers: IncomingHttpHeaders; body: Buffer; durationMs: number }
  /** `isOwnFault`: it ended at our proxy, and says nothing of the receiver. */
  | { ok: false; stage: PostStage; message: string; durationMs: number; isOwnFault?: true };

type Answer = { status: number; headers: IncomingHttpHeaders; body: Buffer };
type Failure = { stage: PostStage; message: string; isOwnFault?: true };

/**
 * One POST to an address we don't trust: no redirect, no retry, no decompression. Any status is `ok: true`.
 * Never rejects.
 */
export async function postJson(options: PostOptions): Promise<PostResult> {
  const startMs = performance.now();
  const outcome = await attempt(options);
  const durationMs = Math.round(performance.now() - startMs);
  return 'stage' in outcome ? { ok: false, ...outcome, durationMs } : { ok: true, ...outcome, durationMs };
}

async function attempt(options: PostOptions): Promise<Answer | Failure> {
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

const connectionsByPolicy = new WeakMap<EgressPolicy, Connections>();

/** Connections were dialled under the rules of a policy and are reused under no other's. */
function connectionsOf(policy: EgressPolicy): Connections {
  const existing = connectionsByPolicy.get(policy);
  if (existing) return existing;
  const connections = createConnections(policy);
  connectionsByPolicy.set(policy, connections);
  return connections;
}

/** Written as they were given; of two that differ in case alone, the later. The length follows from the body. */
function headersOf(given: Record<string, string>): string[] {
  const headers = new Map([['content-type', ['content-type', 'application/json']]]);
  for (const name in given) headers.set(name.toLowerCase(), [name, given[name] ?? '']);
  headers.delete('content-length');
  return [...headers.values()].flat();
}

const awaited = {
  dialling: 'connection',
  handshaking: 'TLS handshake',
  connected: 'complete answer',
  sent: 'complete answer',
} as const;

function describeFailure({ cause, progress }: Extract<Exchange, { ok: false }>, timeoutMs: number): Failure {
  if (cause === 'aborted') return { stage: 'aborted', message: 'aborted' };
  if (cause === 'timeout') {
    return { stage: 'timeout', message: `no ${awaited[progress]} within ${timeoutMs} ms` };
  }
  const { code, syscall }: NodeJS.ErrnoException = cause;
  // Node adds the address that was dialled, which is not for tenants to see.
  const message = syscall === 'connect' && code ? `connect ${code}` : messageOf(cause);
  const failure: Failure = { stage: stageOf(cause, progress), message };
  return code === proxyFault ? { ...failure, isOwnFault: true } : failure;
}

/** `UND_ERR_INVALID_ARG`, `UND_ERR_NOT_SUPPORTED`: undici's word for headers that can't be sent. */
const policyCodes = ['EGRESS_REFUSED', 'UND_ERR_INVALID_ARG', 'UND_ERR_NOT_SUPPORTED'];
const stages = { dialling: 'connect', handshaking: 'tls', connected: 'response', sent: 'response' } as const;

function stageOf(error: NodeJS.ErrnoException, progress: keyof typeof stages): PostStage {
  if (policyCodes.includes(error.code ?? '')) return 'policy';
  if (error.syscall === 'getaddrinfo') return 'dns';
  return stages[progress];
}
