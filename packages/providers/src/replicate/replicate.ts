import { setTimeout as delay } from 'node:timers/promises';
import { parseJson } from '@holdfast/egress/response';
import type { TrustedHttp, TrustedResult } from '@holdfast/egress/trusted';
import { type Connection, connect } from '../connection.ts';
import type { CallbackReading, Handle, Progress, Provider, Submission } from '../interface.ts';
import { failure } from '../outcome/failure.ts';
import { responseText, type Secrets, withRaw } from '../outcome/raw.ts';
import { afterNoResponse, lost, networkProgress, progressOfLogs } from '../progress.ts';
import { type Clock, findLost, isCalledBackAt } from './findRun.ts';
import {
  bodyOf,
  cancelAfter,
  endOf,
  type HostedPrediction,
  readPrediction,
  sinkOf,
  targetOf,
} from './prediction.ts';
import { readRefusal, refusedForMs } from './refusal.ts';
import { createStreams } from './stream.ts';
import { claimOf, isSigned, webhookSecret } from './webhook.ts';

const acceptTimeoutMs = 30_000;
/** With a callback, polls only cover lost callbacks. */
const pollAfterMs = { poll: 1000, callback: 15_000 };
const maxPauseMs = 60_000;

const neverAccepted = failure('MODEL_UNAVAILABLE');

const realClock: Clock = { now: Date.now, wait: (ms, signal) => delay(ms, undefined, { signal }) };

/** Creates take no idempotency token: a run whose create got no response is found by the token in its webhook URL. */
export function createReplicate(connection: Connection, clock: Clock = realClock): Provider {
  const { settings } = connection;
  const http = connect(connection);
  const streams = createStreams(connection, clock);
  const secret = webhookSecret(http, settings.WEBHOOK_SECRET, clock.now);

  const poll: Provider['poll'] = (submission, handle, signal) =>
    pollRun(http, connection, submission, handle, signal);

  /** A run with a sink is followed to its end. */
  async function accepted(prediction: HostedPrediction, submission: Submission, signal: AbortSignal) {
    const sink = sinkOf(submission);
    const progress = progressOf(prediction, submission, connection);
    if (sink === null) return progress;
    const reread = () => poll(submission, { externalId: prediction.id }, signal);
    return await streams.follow(progress, { prediction, submission, sink, signal, poll: reread });
  }

  return {
    name: 'replicate',
    close() {
      http.close();
      streams.close();
    },
    handleFor: () => null,

    async submit(submission, signal) {
      const target = targetOf(submission);
      const { timeoutMs, mapping } = submission;
      const result = await http.request('POST', target.path, {
        json: bodyOf(target, submission),
        headers: { 'cancel-after': cancelAfter(timeoutMs) },
        timeoutMs: Math.min(timeoutMs, acceptTimeoutMs),
        signal,
      });
      if (!result.ok) return networkProgress(result);
      const prediction = read(result);
      return prediction
        ? await accepted(prediction, submission, signal)
        : readRefusal(result, mapping, connection);
    },

    poll,

    async cancel({ externalId }, signal) {
      await http.request('POST', `/predictions/${encodeURIComponent(externalId)}/cancel`, {
        timeoutMs: 10_000,
        signal,
      });
    },

    async recover(submission, signal) {
      const found = await findLost(http, connection, clock, submission, signal);
      if (typeof found !== 'string') return await accepted(found, submission, signal);
      return found === 'absent'
        ? {
            state: 'refused',
            retryAfterMs: 1000,
            outcome: withRaw(neverAccepted, 'it is not listed', connection),
          }
        : {
            state: 'unknown',
            outcome: withRaw(lost, 'the list does not show whether the run exists', connection),
          };
    },

    async find(submission, signal) {
      const found = await findLost(http, connection, clock, submission, signal);
      return typeof found === 'string' ? null : { externalId: found.id };
    },

    async readCallback(callback, run): Promise<CallbackReading> {
      const claim = claimOf(callback);
      if (claim === null) return null;
      const current = await secret.current();
      if (current === null) return 'later';
      if (!isSigned(claim, callback.body, current)) {
        const renewed = await secret.renewed();
        if (renewed === null) return 'later';
        if (renewed === undefined || !isSigned(claim, callback.body, renewed)) return null;
      }
      const prediction = readPrediction(parseJson(callback.body.toString()));
      const isOurs = prediction !== null && isAbout(prediction, run.token, run.handle);
      if (!isOurs) return isOurs === null ? 'later' : null;
      return endOf(prediction, run.mapping, connection);
    },
  };
}

function read(result: TrustedResult): HostedPrediction | null {
  return result.ok && result.status < 300 ? readPrediction(result.json) : null;
}

async function pollRun(
  http: TrustedHttp,
  secrets: Secrets,
  submission: Submission,
  handle: Handle,
  signal: AbortSignal,
): Promise<Progress> {
  const path = `/predictions/${encodeURIComponent(handle.externalId)}`;
  const result = await http.request('GET', path, { timeoutMs: 15_000, signal });
  const prediction = read(result);
  if (prediction) return progressOf(prediction, submission, secrets);
  if (result.ok && (result.status === 404 || result.status === 410)) {
    return { state: 'ended', outcome: withRaw(lost, responseText(result), secrets) };
  }
  const current = running(handle.externalId, submission);
  if (!result.ok) return afterNoResponse(result, current);
  return {
    ...current,
    pollAfterMs: Math.max(current.pollAfterMs, Math.min(refusedForMs(result), maxPauseMs)),
  };
}

/** Before our submit has returned, only its own webhook URL identifies a callback; null when the callback omits the URL. */
function isAbout(prediction: HostedPrediction, token: string, handle: Handle | null): boolean | null {
  if (handle !== null && handle.externalId !== prediction.id) return false;
  if (prediction.webhook) return isCalledBackAt(prediction, token);
  return handle === null ? null : true;
}

function progressOf(prediction: HostedPrediction, submission: Submission, secrets: Secrets): Progress {
  const end = endOf(prediction, submission.mapping, secrets);
  return end ?? { ...running(prediction.id, submission), ...progressOfLogs(prediction.logs) };
}

function running(externalId: string, { mode, callbackUrl }: Submission) {
  const by = callbackUrl !== null && mode !== 'poll' ? 'callback' : 'poll';
  return { state: 'running', handle: { externalId }, by, pollAfterMs: pollAfterMs[by] } as const;
}
