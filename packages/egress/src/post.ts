import http, { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { agentsOf } from './agents.ts';
import { type EgressPolicy, portOf } from './policy.ts';
import { followProgress, messageOf, type Progress } from './progress.ts';

export type PostOptions = {
  url: string;
  body: Buffer | string;
  headers: Record<string, string>;
  /** Total: look-up, connect, TLS, request, headers and body. */
  timeoutMs: number;
  /** More of the answer than this is not read; the answer counts as complete. */
  maxResponseBytes: number;
  policy: EgressPolicy;
  signal?: AbortSignal;
};

export type PostStage = 'policy' | 'dns' | 'connect' | 'tls' | 'timeout' | 'response' | 'aborted';

export type PostResult =
  | { ok: true; status: number; headers: IncomingHttpHeaders; bodyText: string; durationMs: number }
  | { ok: false; stage: PostStage; message: string; durationMs: number };

type Answer = { status: number; headers: IncomingHttpHeaders; bodyText: string };
type Failure = { stage: PostStage; message: string };

/**
 * One POST to an address we don't trust: no redirect, no retry, no decompression. Any status is `ok: true`.
 * Never rejects. Plain `node:http`, because it is sent by the hundred and each stage must be told apart.
 */
export async function postJson(options: PostOptions): Promise<PostResult> {
  const startMs = performance.now();
  const outcome = await attempt(options);
  const durationMs = Math.round(performance.now() - startMs);
  return 'stage' in outcome ? { ok: false, ...outcome, durationMs } : { ok: true, ...outcome, durationMs };
}

function attempt(options: PostOptions): Promise<Answer | Failure> | Failure {
  const problem = options.policy.checkUrl(options.url);
  if (problem) return { stage: 'policy', message: problem.message };
  if (options.signal?.aborted) return { stage: 'aborted', message: 'aborted' };
  try {
    return exchange(openRequest(options), options);
  } catch (error) {
    // Thrown synchronously for headers that can't be sent.
    return { stage: 'policy', message: messageOf(error) };
  }
}

function openRequest({ url: text, body, headers, policy }: PostOptions): ClientRequest {
  const url = new URL(text);
  const isTls = url.protocol === 'https:';
  const agents = agentsOf(policy);
  return (isTls ? https : http).request(url, {
    method: 'POST',
    agent: isTls ? agents.https : agents.http,
    lookup: policy.lookupFor(portOf(url)),
    headers: { 'content-type': 'application/json', ...headers, 'content-length': Buffer.byteLength(body) },
  });
}

function exchange(request: ClientRequest, options: PostOptions): Promise<Answer | Failure> {
  return new Promise((resolve) => {
    const progress = followProgress(request);
    const settle = (outcome: Answer | Failure) => {
      clearTimeout(timer);
      options.signal?.removeEventListener('abort', onAbort);
      resolve(outcome);
      if ('stage' in outcome) request.destroy();
    };
    const onAbort = () => settle({ stage: 'aborted', message: 'aborted' });
    const onTimeout = () =>
      settle({ stage: 'timeout', message: `no complete answer within ${options.timeoutMs} ms` });
    const timer = setTimeout(onTimeout, options.timeoutMs);
    options.signal?.addEventListener('abort', onAbort, { once: true });
    request.on('error', (error) => settle({ stage: stageOf(error, progress()), message: messageOf(error) }));
    request.on('response', (response) => readAnswer(response, options.maxResponseBytes, settle));
    request.end(options.body);
  });
}

/** A settled promise ignores later settlements, so listeners need not be taken down one by one. */
function readAnswer(
  response: IncomingMessage,
  maxBytes: number,
  settle: (outcome: Answer | Failure) => void,
): void {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  const finish = () => {
    const bodyText = Buffer.concat(chunks).subarray(0, maxBytes).toString('utf8');
    settle({ status: response.statusCode ?? 0, headers: response.headers, bodyText });
  };
  response.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    sizeBytes += chunk.length;
    if (sizeBytes <= maxBytes) return;
    finish();
    response.destroy();
  });
  response.on('end', finish);
  response.on('error', (error) => settle({ stage: 'response', message: messageOf(error) }));
  response.on('close', () =>
    settle({ stage: 'response', message: 'connection closed before the answer was complete' }),
  );
}

function stageOf(error: NodeJS.ErrnoException, progress: Progress): PostStage {
  if (error.code === 'EGRESS_REFUSED') return 'policy';
  if (error.syscall === 'getaddrinfo') return 'dns';
  return ({ dialling: 'connect', handshaking: 'tls', sent: 'response' } as const)[progress];
}
