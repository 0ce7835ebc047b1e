import type { Outcome, OutcomeMapping } from '@holdfast/domain/outcome';
import { z } from 'zod';
import {
  predictionOutcome as cogOutcome,
  type Prediction,
  readPrediction as readCog,
} from '../cog/prediction.ts';
import { type Ended, maxIdLength, type OutputSink, type Submission } from '../interface.ts';
import { failure } from '../outcome/failure.ts';
import { type Secrets, withRaw } from '../outcome/raw.ts';

/** `model`: what the list shows of a run; null where it is not known. */
export type Target = { path: string; version: string | null; model: string | null };

const aVersion = /^[0-9a-f]{64}$/;

/** A version runs at `/predictions`; `owner/name` without one is an official model, or a deployment. */
export function targetOf({ providerModel, options }: Pick<Submission, 'providerModel' | 'options'>): Target {
  if (options.deployment === true) {
    const steps = providerModel.split('/').map(encodeURIComponent);
    return { path: `/deployments/${steps.join('/')}/predictions`, version: null, model: null };
  }
  const [name = '', itsVersion] = providerModel.split(':', 2);
  const model = name.includes('/') ? name : null;
  const version =
    typeof options.version === 'string'
      ? options.version
      : (itsVersion ?? (aVersion.test(name) ? name : null));
  if (version !== null) return { path: '/predictions', version, model };
  const steps = name.split('/').map(encodeURIComponent);
  return { path: `/models/${steps.join('/')}/predictions`, version: null, model };
}

const slug = '[A-Za-z0-9][A-Za-z0-9_.-]*';
const ownerAndName = new RegExp(`^${slug}/${slug}$`);
const versioned = new RegExp(`^${slug}/${slug}:[0-9a-zA-Z]+$`);

/** What is wrong with the model of a route; null: nothing. */
export function targetProblem(model: string, { version, deployment }: Submission['options']): string | null {
  if (/(^|\/)trainings?(\/|$)/.test(model))
    return 'is a training, which is not supported: run the model that it made';
  if (deployment === true)
    return version === undefined && ownerAndName.test(model)
      ? null
      : 'must be the owner/name of the deployment, without a version';
  if (model.startsWith('deployments/'))
    return 'must be owner/name: with `options: { deployment: true }`, it is the deployment of that name';
  if (version !== undefined || [ownerAndName, versioned, aVersion].some((form) => form.test(model)))
    return null;
  return 'must be owner/name, owner/name:version or a version';
}

/** A webhook is always set when possible: its URL also identifies the run. A streamed run does not call it at its end. */
export function bodyOf({ version }: Target, submission: Submission): object {
  const { input, callbackUrl } = submission;
  const isStreamed = sinkOf(submission) !== null;
  return {
    ...(version !== null && { version }),
    input,
    ...(isStreamed && { stream: true }),
    ...(callbackUrl !== null && {
      webhook: callbackUrl,
      webhook_events_filter: [isStreamed ? 'start' : 'completed'],
    }),
  };
}

/** The sink of a run whose output can be shown: the events of a stream are texts. */
export function sinkOf({ sink, mapping: { output } }: Submission): OutputSink | null {
  const isText = output.kind === 'text' && [undefined, '/output'].includes(output.pointer);
  return sink?.kind === 'text' && isText ? sink : null;
}

const minTimeoutS = 5;

/** `Cancel-After`: the provider stops a run after we stop waiting. */
export function cancelAfter(timeoutMs: number): string {
  return `${Math.max(minTimeoutS, Math.ceil(timeoutMs / 1000))}s`;
}

const hosted = z.looseObject({
  id: z.string().min(1).max(maxIdLength),
  model: z.string().nullish(),
  version: z.string().nullish(),
  input: z.unknown().optional(),
  /** Absent, not null, when the response omits it. */
  webhook: z.string().nullish(),
  /** `stream` is absent for models that do not stream. */
  urls: z.looseObject({ stream: z.string().nullish() }).nullish().catch(null),
});

export type HostedPrediction = Prediction & z.infer<typeof hosted>;

export function readPrediction(json: unknown): HostedPrediction | null {
  const ofCog = readCog(json);
  const ofHost = hosted.safeParse(json).data;
  return ofCog && ofHost ? { ...ofCog, ...ofHost } : null;
}

/** E6716: it did not start in time. */
const startTimeout = /\bE6716\b/;

/** Null while it is running. */
export function endOf(of: HostedPrediction, mapping: OutcomeMapping, secrets: Secrets): Ended | null {
  const outcome = outcomeOf(of, mapping, secrets);
  if (outcome === null) return null;
  const { logs } = of;
  return { state: 'ended', outcome, ...(typeof logs === 'string' && logs !== '' && { logs }) };
}

function outcomeOf(of: HostedPrediction, mapping: OutcomeMapping, secrets: Secrets): Outcome | null {
  if (of.status === 'failed' && typeof of.error === 'string' && startTimeout.test(of.error)) {
    return withRaw(failure('GENERATION_TIMEOUT'), `failed ${of.error}`, secrets);
  }
  return cogOutcome(of, mapping, secrets);
}
