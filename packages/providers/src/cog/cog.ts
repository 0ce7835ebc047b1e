import { createHash } from 'node:crypto';
import type { OutcomeMapping } from '@holdfast/domain/modelDefinition';
import type { TrustedResult } from '@holdfast/egress/trusted';
import { type Connection, connect } from '../connection.ts';
import type { Ended, Handle, Progress, Provider, Submission } from '../interface.ts';
import { networkProgress } from '../networkProgress.ts';
import type { Secrets } from '../outcome/scrub.ts';
import { tellingOfLogs } from '../outcome/telling.ts';
import { parseJson } from '../parseJson.ts';
import { type Prediction, predictionOutcome, readPrediction } from './prediction.ts';
import { readRefusal } from './refusal.ts';

const acceptTimeoutMs = 30_000;
/** A run that we joined ends soon; one that calls back is asked about only because callbacks can be lost. */
const pollAfterMs = { poll: 1000, callback: 15_000 };

/**
 * Cog containers (https://cog.run), one or several behind `{base}/{model}/predictions/{id}`. Option `path`
 * replaces `{model}`; `""` is for a base URL that is one container.
 *
 * A PUT is idempotent by its id, which we derive from the attempt's token: sending it again joins the run.
 * That is how a run is asked about and recovered, for Cog has no GET. A container forgets what has ended, so the
 * question waits for the answer: asked too late, the run is made once more, and not again at every question.
 * Mode `poll` is therefore `sync` here, and so is `callback` where nobody can call us. Cog's webhooks are unsigned:
 * the token in the callback URL is what authenticates them.
 */
export function createCog(connection: Connection): Provider {
  const http = connect(connection);
  const put = (submission: Submission, signal: AbortSignal) => {
    const { input, callbackUrl, timeoutMs } = submission;
    const called = isCalled(submission);
    const { path, externalId } = handleOf(submission);
    return http.request('PUT', `${path}/predictions/${externalId}`, {
      json: { input, ...(called ? { webhook: callbackUrl, webhook_events_filter: ['completed'] } : {}) },
      headers: called ? { prefer: 'respond-async' } : {},
      timeoutMs: called ? Math.min(timeoutMs, acceptTimeoutMs) : timeoutMs,
      signal,
    });
  };
  const submit = async (submission: Submission, signal: AbortSignal) =>
    readResult(await put(submission, signal), submission, {
      ...connection,
      providerModel: submission.providerModel,
    });

  return {
    name: 'cog',
    pollsWithInput: true,
    close: () => http.close(),
    submit,
    async recover(submission, signal) {
      const progress = await submit(submission, signal);
      // It says nothing of what was sent before; and asked once more, it joins that.
      if (progress.state === 'refused') return { ...progress, mayHaveRun: true };
      const { outcome } = progress.state === 'unknown' ? progress : { outcome: null };
      if (outcome === null || outcome.code === 'GENERATION_TIMEOUT') return progress;
      return { state: 'refused', retryAfterMs: 1000, outcome, mayHaveRun: true };
    },
    handleFor: handleOf,
    async poll(submission, _handle, signal) {
      const progress = await submit({ ...submission, mode: 'sync' }, signal);
      return progress.state === 'ended' ? progress : { ...progress, ...running(submission) };
    },
    async cancel({ path, externalId }, signal) {
      await http.request('POST', `${path}/predictions/${externalId}/cancel`, {
        timeoutMs: 10_000,
        signal,
      });
    },
    async readCallback({ body }, { token, mapping, providerModel }) {
      const prediction = readPrediction(parseJson(body));
      if (prediction === null || prediction.id !== idOf(token)) return null;
      return ended(prediction, mapping, { ...connection, providerModel });
    },
  };
}

function readResult(result: TrustedResult, submission: Submission, secrets: Secrets): Progress {
  if (!result.ok) return networkProgress(result);
  const prediction = result.status < 300 ? readPrediction(result.json) : null;
  if (prediction === null) return readRefusal(result, submission.mapping, secrets);
  return (
    ended(prediction, submission.mapping, secrets) ?? {
      ...running(submission),
      ...tellingOfLogs(prediction.logs),
    }
  );
}

function ended(prediction: Prediction, mapping: OutcomeMapping, secrets: Secrets): Ended | null {
  const outcome = predictionOutcome(prediction, mapping, secrets);
  if (outcome === null) return null;
  const { logs } = tellingOfLogs(prediction.logs);
  return { state: 'ended', outcome, ...(logs !== undefined && { logs }) };
}

function running(submission: Submission): Extract<Progress, { state: 'running' }> {
  const by = isCalled(submission) ? 'callback' : 'poll';
  return { state: 'running', handle: handleOf(submission), by, pollAfterMs: pollAfterMs[by] };
}

function isCalled({ mode, callbackUrl }: Submission): boolean {
  return mode === 'callback' && callbackUrl !== null;
}

function handleOf({ token, providerModel, options }: Submission): Handle & { path: string } {
  const name = typeof options.path === 'string' ? options.path : providerModel;
  const path = name
    .split('/')
    .filter((step) => step !== '')
    .map((step) => `/${encodeURIComponent(step)}`)
    .join('');
  return { externalId: idOf(token), path };
}

/** The provider's id of the run says nothing about the token, which authenticates callbacks. */
function idOf(token: string): string {
  return createHash('sha256').update(`cog ${token}`).digest('hex').slice(0, 32);
}
