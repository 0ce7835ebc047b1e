import { parseJson } from '@holdfast/egress/response';
import { type Connection, createOrigins, type Origins } from '../connection.ts';
import {
  awaitsCallback,
  type Handle,
  type Progress,
  type Provider,
  type RunProgress,
  type Submission,
} from '../interface.ts';
import { responseText, withRaw } from '../outcome/raw.ts';
import { afterNoResponse, lost, networkProgress } from '../progress.ts';
import { readRefusal } from './errors.ts';
import { isQueueHandle, readHandle, unknownHandle } from './handle.ts';
import { createKeySet } from './keySet.ts';
import { isGone, progressIn, readResult, readStatus } from './poll.ts';
import { submitRequest } from './request.ts';
import { sinkOf, streamRun } from './stream.ts';
import { readingOf, readWebhook, verifySignature } from './webhook.ts';

const defaultJwksUrl = 'https://rest.alpha.fal.ai/.well-known/jwks.json';
const askTimeoutMs = 30_000;
const cancelTimeoutMs = 10_000;
const pollAfterMs = { poll: 1000, callback: 15_000 };
/** How long to wait for the callback of a run that may have been accepted. */
const unknownWaitMs = 60_000;

/** fal's queue: without a lookup or a list, a run whose submit got no response is known by its callback alone. */
export function createFal(connection: Connection, nowMs: () => number = Date.now): Provider {
  const http = createOrigins(connection, 'Key');
  const keys = createKeySet(connection.settings.JWKS_URL ?? defaultJwksUrl, nowMs);
  return {
    name: 'fal',
    close() {
      http.close();
      keys.close();
    },
    async submit(submission, signal) {
      const sink = sinkOf(submission);
      if (sink !== null) return await streamRun(http, connection, submission, sink, signal);
      const { providerModel, mapping, timeoutMs } = submission;
      const { url, headers, json } = submitRequest(submission, connection, awaitsCallback(submission));
      const wait = { timeoutMs: Math.min(timeoutMs, askTimeoutMs), signal };
      const result = await http.request('POST', url, { json, headers, ...wait });
      if (!result.ok) return networkProgress(result);
      const handle = result.status < 300 ? readHandle(result.json, connection, providerModel) : null;
      if (handle) return running(submission, handle);
      return readRefusal(result, mapping, connection);
    },
    poll: (submission, handle, signal) => poll({ http, connection }, submission, handle, signal),
    async recover(submission) {
      if (!awaitsCallback(submission) || sinkOf(submission) !== null)
        return { state: 'unknown', outcome: lost };
      const handle = unknownHandle(submission.executionId);
      return { state: 'running', handle, by: 'callback', pollAfterMs: unknownWaitMs };
    },
    async cancel(handle, signal) {
      if (!isQueueHandle(handle)) return;
      await http.request('PUT', handle.cancel_url, { timeoutMs: cancelTimeoutMs, signal });
    },
    handleFor: () => null,
    async readCallback(callback, run) {
      const webhook = readWebhook(parseJson(callback.body.toString()), run);
      if (webhook === null) return null;
      const verdict = await verifySignature(callback, keys);
      if (verdict === 'authentic') return readingOf(webhook, run, connection);
      return verdict === 'later' ? 'later' : null;
    },
  };
}

async function poll(
  { http, connection }: { http: Origins; connection: Connection },
  submission: Submission,
  handle: Handle,
  signal: AbortSignal,
): Promise<Progress> {
  if (!isQueueHandle(handle)) return { state: 'unknown', outcome: lost };
  const { mapping, startedAtMs } = submission;
  const wait = { timeoutMs: askTimeoutMs, signal };
  const polled = await http.request('GET', withLogs(handle.status_url), wait);
  if (polled.ok && isGone(polled, startedAtMs)) {
    return { state: 'ended', outcome: withRaw(lost, responseText(polled), connection) };
  }
  if (!polled.ok) return afterNoResponse(polled, running(submission, handle));
  const status = readStatus(polled);
  if (status === null) return running(submission, handle);
  if (status.status !== 'COMPLETED') return running(submission, handle, progressIn(status));
  const result = await http.request('GET', handle.response_url, wait);
  return readResult(result, status, mapping, connection) ?? running(submission, handle, progressIn(status));
}

function running(submission: Submission, handle: Handle, withProgress: RunProgress = {}): Progress {
  const by = awaitsCallback(submission) ? 'callback' : 'poll';
  return { state: 'running', handle, by, pollAfterMs: pollAfterMs[by], ...withProgress };
}

function withLogs(statusUrl: string): string {
  const url = new URL(statusUrl);
  url.searchParams.set('logs', '1');
  return url.href;
}
