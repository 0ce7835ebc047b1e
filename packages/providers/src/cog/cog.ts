import { createHash } from 'node:crypto';
import { parseJson } from '@holdfast/egress/response';
import type { TrustedHttp, TrustedResult } from '@holdfast/egress/trusted';
import { type Connection, connect } from '../connection.ts';
import { awaitsCallback, type Handle, type Progress, type Provider, type Submission } from '../interface.ts';
import { failure } from '../outcome/failure.ts';
import type { Secrets } from '../outcome/raw.ts';
import { afterNoResponse, networkProgress, progressOfLogs } from '../progress.ts';
import { type Found, pollEveryMs, queryRun, readHealth } from './container.ts';
import { pathOf } from './options.ts';
import { endOf, readPrediction } from './prediction.ts';
import { readRefusal, refusedByDeadContainer } from './refusal.ts';
import { sinkOf, streamRun } from './stream.ts';

const acceptTimeoutMs = 30_000;
/** Cog repeats a callback that was not accepted, at last every 102 s. */
const callbackWithinMs = 120_000;
/** How long a run may still call back when it is unknown whether it was accepted. */
const unknownWaitMs = 15_000;

type Running = Extract<Progress, { state: 'running' }>;
type Refused = Extract<Progress, { state: 'refused' }>;

/**
 * Cog containers (https://cog.run; protocol: ADR 0035). A container reports the end of a run once, then forgets it; closing
 * the connection of its PUT cancels it. Modes without a callback URL are `sync`. The token in a webhook's URL authenticates it.
 */
export function createCog(connection: Connection): Provider {
  const http = connect(connection);

  async function submit(submission: Submission, signal: AbortSignal): Promise<Progress> {
    const progress = await startRun(http, connection, submission, signal);
    if (progress.state !== 'refused' || !progress.isBusy) return progress;
    // With a dead worker a container refuses every run as if it were busy.
    const health = await readHealth(http, handleOf(submission).path, signal);
    return health?.isDead ? refusedByDeadContainer(health, connection) : progress;
  }

  /** A container that started after the run has lost it, and will not call back. */
  async function hasRestarted({ startedAtMs }: Submission, handle: Handle, signal: AbortSignal) {
    const { startedAtMs: containerStartedAtMs = null } =
      (await readHealth(http, handle['path'] ?? '', signal)) ?? {};
    return containerStartedAtMs !== null && containerStartedAtMs > startedAtMs;
  }

  /** Runs it once more and waits for the response, because no callback reported the end. */
  async function repeat(submission: Submission, handle: Handle, signal: AbortSignal): Promise<Progress> {
    const progress = await submit({ ...submission, mode: 'sync' }, signal);
    if (progress.state !== 'ended') return { ...running(submission), handle };
    return isCalledBack(submission) ? { ...progress, alert: progress.alert ?? noCallback } : progress;
  }

  async function findRun(submission: Submission, signal: AbortSignal): Promise<Progress> {
    const handle = { ...handleOf(submission), awaitsCallback: 'true', isUnheard: 'true' };
    const found = await queryRun(http, handle, signal);
    if (found.kind === 'running') return progressFrom(found, submission, handle);
    return await search(submission, handle, found, signal);
  }

  async function search(
    submission: Submission,
    handle: Handle,
    found: Exclude<Found, Alive>,
    signal: AbortSignal,
  ): Promise<Progress> {
    const sinceMs = Number(handle['missingSince'] ?? Date.now());
    const waiting: Running = { ...running(submission), handle };
    const missing = { ...waiting, handle: { ...handle, missingSince: String(sinceMs) } };
    const isMissingFor = (ms: number) => Date.now() - sinceMs >= ms;
    if (found.kind === 'down') return isMissingFor(unknownWaitMs) ? lost(null) : missing;
    if (await hasRestarted(submission, handle, signal)) return lost(1000);
    if (found.kind === 'unknown') return waiting;
    if (handle['isUnheard']) return isMissingFor(unknownWaitMs) ? lost(1000) : missing;
    return isMissingFor(callbackWithinMs) ? await repeat(submission, handle, signal) : missing;
  }

  return {
    name: 'cog',
    pollsWithInput: ({ missingSince, awaitsCallback }) =>
      missingSince !== undefined || awaitsCallback === undefined,
    close: () => http.close(),
    submit,
    async recover(submission, signal) {
      if (isCalledBack(submission)) return await findRun(submission, signal);
      const progress = await submit(submission, signal);
      // A refusal says nothing about the first submit, and a repeat joins that run.
      if (progress.state === 'refused') return { ...progress, mayHaveRun: true };
      const { outcome } = progress.state === 'unknown' ? progress : { outcome: null };
      if (outcome === null || outcome.code === 'GENERATION_TIMEOUT') return progress;
      return { state: 'refused', retryAfterMs: 1000, outcome, mayHaveRun: true };
    },
    handleFor: handleOf,
    async poll(submission, handle, signal) {
      const found = await queryRun(http, handle, signal);
      if (found.kind === 'running') return progressFrom(found, submission, handle);
      if (isCalledBack(submission)) return await search(submission, handle, found, signal);
      if (found.kind === 'absent') return await repeat(submission, handle, signal);
      const unchanged = { ...running(submission), handle };
      return found.kind === 'unknown' && !found.result.ok
        ? afterNoResponse(found.result, unchanged)
        : unchanged;
    },
    async cancel({ path, externalId }, signal) {
      await http.request('POST', `${path}/predictions/${externalId}/cancel`, {
        timeoutMs: 10_000,
        signal,
      });
    },
    async readCallback({ body }, { token, mapping }) {
      const prediction = readPrediction(parseJson(body.toString()));
      if (prediction === null || prediction.id !== idOf(token)) return null;
      return endOf(prediction, mapping, connection);
    },
  };
}

async function startRun(
  http: TrustedHttp,
  secrets: Secrets,
  submission: Submission,
  signal: AbortSignal,
): Promise<Progress> {
  const sink = sinkOf(submission);
  const read = (result: TrustedResult) => readResult(result, submission, secrets);
  const start = () => putRun(http, submission, signal).then(read);
  if (sink === null) return await start();
  return await streamRun(http, pathTo(submission), { submission, sink, secrets, signal, start, read });
}

function putRun(http: TrustedHttp, submission: Submission, signal: AbortSignal): Promise<TrustedResult> {
  const { input, callbackUrl, timeoutMs } = submission;
  const called = isCalledBack(submission);
  return http.request('PUT', pathTo(submission), {
    json: { input, ...(called ? { webhook: callbackUrl, webhook_events_filter: ['completed'] } : {}) },
    headers: called ? { prefer: 'respond-async' } : {},
    timeoutMs: called ? Math.min(timeoutMs, acceptTimeoutMs) : timeoutMs,
    signal,
  });
}

const noCallback =
  'a run had ended and no callback came of it, so it was made once more: check that the container reaches CALLBACK_URL';

/** `retryAfterMs` null: only another provider can run it. */
function lost(retryAfterMs: number | null): Refused {
  const why = retryAfterMs === null ? 'no process listens there' : 'its container is not at it';
  const outcome = { ...failure('MODEL_UNAVAILABLE'), raw: `The run was lost: ${why}.` };
  return { state: 'refused', retryAfterMs, outcome, isLost: true };
}

function readResult(result: TrustedResult, submission: Submission, secrets: Secrets): Progress {
  if (!result.ok) return networkProgress(result);
  const prediction = result.status < 300 ? readPrediction(result.json) : null;
  if (prediction === null) return readRefusal(result, submission.mapping, secrets);
  return (
    endOf(prediction, submission.mapping, secrets) ?? {
      ...running(submission),
      ...progressOfLogs(prediction.logs),
    }
  );
}

type Alive = Extract<Found, { kind: 'running' }>;

function progressFrom(found: Alive, submission: Submission, polled: Handle): Progress {
  const { missingSince: _missing, isUnheard: _unheard, ...handle } = polled;
  const waiting: Running = { ...running(submission), handle };
  const progress = { ...waiting, ...found.withProgress };
  return progress.by === 'callback' ? { ...progress, pollAfterMs: found.pauseMs } : progress;
}

function running(submission: Submission): Running {
  const handle = handleOf(submission);
  if (!isCalledBack(submission)) return { state: 'running', handle, by: 'poll', pollAfterMs: 1000 };
  const called = { ...handle, awaitsCallback: 'true' };
  return { state: 'running', handle: called, by: 'callback', pollAfterMs: pollEveryMs, isSteady: true };
}

/** A streamed run ends by the response to its submit. */
function isCalledBack(submission: Submission): boolean {
  return awaitsCallback(submission) && sinkOf(submission) === null;
}

function handleOf({ token, providerModel, options }: Submission): Handle & { path: string } {
  const path = pathOf({ model: providerModel, options });
  return { externalId: idOf(token), path };
}

function pathTo(submission: Submission): string {
  const { path, externalId } = handleOf(submission);
  return `${path}/predictions/${externalId}`;
}

/** A hash, because the token itself authenticates callbacks. */
function idOf(token: string): string {
  return createHash('sha256').update(`cog ${token}`).digest('hex').slice(0, 32);
}
