import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable, Transform } from 'node:stream';
import got, { type Request } from 'got';
import { portOf } from './addresses.ts';
import { agentsOf } from './agents.ts';
import type { EgressPolicy } from './policy.ts';
import { messageOf } from './response.ts';

export type DownloadOptions = {
  url: string;
  policy: EgressPolicy;
  /** `host:port` (the port always given) of what the operator configured: dialled as it is. */
  trustedHosts: string[];
  /** Total, redirects and body included. */
  timeoutMs: number;
  maxBytes: number;
};

export type Download = { stream: Readable; contentType: string | null; sizeBytes: number | null };

export type DownloadStage = 'policy' | 'network' | 'status' | 'redirects' | 'too_large';

/** Why a file could not be fetched. Its stream fails with one, too, when it grows over the cap. */
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

/** Opens a provider's output file for streaming. Every hop is checked. Rejects with DownloadError. */
export async function openDownload(options: DownloadOptions): Promise<Download> {
  const deadlineMs = performance.now() + options.timeoutMs;
  let url = options.url;
  let isTrusted = true;
  for (let hop = 0; hop <= maxRedirects; hop++) {
    // Once a hop has left the trusted hosts, a redirect can't lead back into them.
    isTrusted &&= isTrustedHost(url, options.trustedHosts);
    const leftMs = Math.max(1, Math.ceil(deadlineMs - performance.now()));
    const source = startGet(url, isTrusted, options.policy, leftMs);
    const response = await responseOf(source, leftMs);
    const next = redirectTarget(response, url);
    if (next === null) return toDownload(source, response, options.maxBytes);
    source.destroy();
    url = next;
  }
  throw new DownloadError('redirects', `more than ${maxRedirects} redirects`);
}

function isTrustedHost(text: string, trustedHosts: string[]): boolean {
  const url = URL.parse(text);
  return url !== null && trustedHosts.includes(`${url.hostname}:${portOf(url)}`);
}

function startGet(text: string, isTrusted: boolean, policy: EgressPolicy, timeoutMs: number): Request {
  const problem = isTrusted ? null : policy.checkUrl(text);
  if (problem) throw new DownloadError('policy', problem.message);
  const url = new URL(text);
  return got.stream(url, {
    agent: isTrusted ? agentsOf(trustedAgents) : agentsOf(policy, policy),
    headers: { 'user-agent': 'holdfast' },
    timeout: { request: timeoutMs },
    retry: { limit: 0 },
    followRedirect: false,
    throwHttpErrors: false,
    decompress: false,
  });
}

/** Node tells a request that was given up of it once it has a socket: it has a timer of its own until then. */
function responseOf(source: Request, timeoutMs: number): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new DownloadError('network', `no answer within ${timeoutMs} ms`));
      source.destroy();
    }, timeoutMs);
    source.once('response', (response) => {
      clearTimeout(timer);
      resolve(response);
    });
    // Stays for good: without a listener, an error after the response would end the process.
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

function toDownload(source: Request, response: IncomingMessage, maxBytes: number): Download {
  const status = response.statusCode ?? 0;
  const refuse = (error: DownloadError) => {
    source.destroy();
    return error;
  };
  if (status < 200 || status > 299) throw refuse(new DownloadError('status', `answered ${status}`, status));
  const declared = Number(response.headers['content-length'] ?? Number.NaN);
  if (declared > maxBytes) throw refuse(tooLarge(maxBytes));
  const contentType = response.headers['content-type']?.split(';')[0]?.trim().toLowerCase() || null;
  return {
    stream: capped(source, maxBytes),
    contentType,
    sizeBytes: Number.isNaN(declared) ? null : declared,
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
  // The reader learns of a failure through the stream it holds.
  pipeline(source, cap, () => {});
  return cap;
}

function tooLarge(maxBytes: number): DownloadError {
  return new DownloadError('too_large', `larger than ${maxBytes} bytes`);
}

function toDownloadError(error: NodeJS.ErrnoException): DownloadError {
  return new DownloadError(error.code === 'EGRESS_REFUSED' ? 'policy' : 'network', messageOf(error));
}
