import type { Agent, IncomingMessage } from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import { type Duplex, pipeline, type Readable, Transform } from 'node:stream';
import { decompressedHeaders } from '@holdfast/kit/contentEncoding';
import { http } from '@holdfast/kit/http';
import type { Request } from 'got';
import { portOf } from './addresses.ts';
import { idleTimeoutMs, maxAgeMs } from './connections.ts';
import { createTlsSessions, dial, type Guard } from './dial.ts';
import { nameInHeader, nameInUrl } from './fileName.ts';
import type { EgressPolicy } from './policy.ts';
import { messageOf } from './response.ts';
import { type Wire, wireOf } from './wire.ts';

export type DownloadOptions = {
  url: string;
  policy: EgressPolicy;
  /** `host:port` of the operator's own servers, which are not checked. The port is required. */
  trustedHosts: string[];
  /** Total, redirects and body included. */
  timeoutMs: number;
  maxBytes: number;
};

export type Download = {
  stream: Readable;
  contentType: string | null;
  sizeBytes: number | null;
  /** As the server or its URL names it: not safe to use as a path. */
  filename: string | null;
};

export type DownloadStage = 'policy' | 'network' | 'status' | 'redirects' | 'too_large';

export class DownloadError extends Error {
  readonly stage: DownloadStage;
  readonly status: number | null;

  constructor(stage: DownloadStage, message: string, status: number | null = null) {
    super(message);
    this.stage = stage;
    this.status = status;
  }
}

const maxRedirects = 3;
const trustedAgents = {};

/** For streaming a provider's output file. Every redirect is checked. @throws DownloadError */
export async function openDownload(options: DownloadOptions): Promise<Download> {
  const deadlineMs = performance.now() + options.timeoutMs;
  let url = options.url;
  let isTrusted = true;
  for (let hop = 0; hop <= maxRedirects; hop++) {
    // A redirect from an untrusted host can't lead back to a trusted one.
    isTrusted &&= isTrustedHost(url, options.trustedHosts);
    const leftMs = Math.max(1, Math.ceil(deadlineMs - performance.now()));
    const source = await startGet(url, isTrusted, options.policy, leftMs);
    const response = await responseOf(source, leftMs);
    const next = redirectTarget(response, url);
    if (next === null) return toDownload(source, response, options);
    source.destroy();
    url = next;
  }
  throw new DownloadError('redirects', `more than ${maxRedirects} redirects`);
}

function isTrustedHost(text: string, trustedHosts: string[]): boolean {
  const url = URL.parse(text);
  return url !== null && trustedHosts.includes(`${url.hostname}:${portOf(url)}`);
}

async function startGet(
  text: string,
  isTrusted: boolean,
  policy: EgressPolicy,
  timeoutMs: number,
): Promise<Request> {
  const problem = isTrusted ? null : policy.checkUrl(text);
  if (problem) throw new DownloadError('policy', problem.message);
  const url = new URL(text);
  // Loaded here: it takes 20 MB, and most models return their outputs without a URL.
  const { default: got } = await import('got');
  return got.stream(url, {
    agent: isTrusted ? agentsOf(trustedAgents) : agentsOf(policy, policy),
    // Some servers compress nevertheless.
    headers: { 'user-agent': 'holdfast', 'accept-encoding': 'identity' },
    timeout: { request: timeoutMs },
    retry: { limit: 0 },
    followRedirect: false,
    throwHttpErrors: false,
  });
}

/** Has its own timer, since Node aborts a request only once it has a socket. */
function responseOf(source: Request, timeoutMs: number): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new DownloadError('network', `no response within ${timeoutMs} ms`));
      source.destroy();
    }, timeoutMs);
    source.once('response', (response) => {
      clearTimeout(timer);
      resolve(response);
    });
    // Never removed: an error after the response without a listener would end the process.
    source.on('error', (error) => {
      clearTimeout(timer);
      reject(toDownloadError(error));
    });
  });
}

function redirectTarget(response: IncomingMessage, base: string): string | null {
  const status = response.statusCode ?? 0;
  const location = response.headers.location;
  if (![301, 302, 303, 307, 308].includes(status) || location === undefined) return null;
  return URL.parse(location, base)?.href ?? location;
}

function toDownload(
  source: Request,
  response: IncomingMessage,
  { url, maxBytes }: Pick<DownloadOptions, 'url' | 'maxBytes'>,
): Download {
  const status = response.statusCode ?? 0;
  const refuse = (error: DownloadError) => {
    source.destroy();
    return error;
  };
  if (status < 200 || status > 299)
    throw refuse(new DownloadError('status', `responded with ${status}`, status));
  const { 'content-length': length = Number.NaN } = decompressedHeaders(response.headers);
  const declared = Number(length);
  if (declared > maxBytes) throw refuse(tooLarge(maxBytes));
  const contentType = response.headers['content-type']?.split(';')[0]?.trim().toLowerCase() || null;
  return {
    stream: capped(source, maxBytes),
    contentType,
    sizeBytes: Number.isNaN(declared) ? null : declared,
    // After a redirect the path may be a store's key: the URL of the output is the provider's own.
    filename: nameInHeader(response.headers['content-disposition']) ?? nameInUrl(url),
  };
}

function capped(source: Request, maxBytes: number): Readable {
  let sizeBytes = 0;
  const cap = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      sizeBytes += chunk.length;
      if (sizeBytes > maxBytes) done(tooLarge(maxBytes));
      else done(null, chunk);
    },
  });
  pipeline(source, cap, () => {});
  return cap;
}

function tooLarge(maxBytes: number): DownloadError {
  return new DownloadError('too_large', `larger than ${maxBytes} bytes`);
}

function toDownloadError(error: NodeJS.ErrnoException): DownloadError {
  return new DownloadError(error.code === 'EGRESS_REFUSED' ? 'policy' : 'network', messageOf(error));
}

type Agents = { http: Agent; https: https.Agent };

const agentSettings = {
  keepAlive: true,
  timeout: idleTimeoutMs,
  maxFreeSockets: 256,
  scheduling: 'lifo',
} as const;

const dialWithinMs = 60_000;

const agentsByOwner = new WeakMap<object, Agents>();

/** A connection is only reused under the policy under which it was dialled. */
function agentsOf(owner: object, guard?: Guard): Agents {
  const existing = agentsByOwner.get(owner);
  if (existing) return existing;
  const agents = { http: new http.Agent(agentSettings), https: new https.Agent(agentSettings) };
  dialBy(agents.http, 'http:', guard);
  dialBy(agents.https, 'https:', guard);
  agentsByOwner.set(owner, agents);
  return agents;
}

function dialBy(agent: Agent, protocol: string, guard: Guard | undefined): void {
  const sessions = createTlsSessions();
  const openedAtMs = new WeakMap<object, number>();
  agent.createConnection = ({ host, port }, callback) => {
    const origin = `${protocol}//${host?.includes(':') ? `[${host}]` : host}:${port}`;
    const done = (error: Error | null, socket: Socket | null) => {
      const wire = socket && wireOf(socket);
      wire?.expectResponse();
      if (wire) openedAtMs.set(wire, performance.now());
      // Node accepts an error alone, its type does not.
      callback?.(error, wire as Duplex);
    };
    dial({ origin, guard, sessions, onProgress: () => {}, onDone: done, withinMs: dialWithinMs });
    return undefined;
  };
  const keep = agent.keepSocketAlive.bind(agent);
  agent.keepSocketAlive = (wire) => performance.now() - (openedAtMs.get(wire) ?? 0) < maxAgeMs && keep(wire);
  const reuse = agent.reuseSocket.bind(agent);
  agent.reuseSocket = (wire, request) => {
    (wire as unknown as Wire).expectResponse();
    reuse(wire, request);
  };
}
