import type { Outcome, OutcomeMapping } from '@holdfast/domain/outcome';
import { z } from 'zod';
import type { Ended } from '../interface.ts';
import { failure, reportedFailure } from '../outcome/failure.ts';
import { type Secrets, withRaw } from '../outcome/raw.ts';
import { type DefaultPlaces, outcomeFromResponse } from '../outcome/success.ts';
import { progressOfLogs } from '../progress.ts';

const prediction = z.looseObject({
  id: z.string().nullish(),
  status: z.enum(['starting', 'processing', 'succeeded', 'failed', 'canceled', 'aborted']),
  output: z.unknown().optional(),
  error: z.unknown().optional(),
  logs: z.unknown().optional(),
});

export type Prediction = z.infer<typeof prediction>;

export const defaults: DefaultPlaces = {
  output: '/output',
  inputTokens: ['/metrics/input_token_count'],
  outputTokens: ['/metrics/output_token_count'],
  cost: ['/metrics/cost'],
  seconds: ['/metrics/predict_time'],
  secondsOf: 'run',
};

export function readPrediction(json: unknown): Prediction | null {
  return prediction.safeParse(json).data ?? null;
}

/** Null while it is running. */
export function predictionOutcome(of: Prediction, mapping: OutcomeMapping, secrets: Secrets): Outcome | null {
  const outcome = ends[of.status](of, mapping, secrets);
  if (outcome === null || outcome.ok) return outcome;
  return withRaw(outcome, `${of.status} ${errorText(of.error)}`, secrets);
}

/** Null while it is running. */
export function endOf(prediction: Prediction, mapping: OutcomeMapping, secrets: Secrets): Ended | null {
  const outcome = predictionOutcome(prediction, mapping, secrets);
  if (outcome === null) return null;
  const { logs } = progressOfLogs(prediction.logs);
  return { state: 'ended', outcome, ...(logs !== undefined && { logs }) };
}

type End = (of: Prediction, mapping: OutcomeMapping, secrets: Secrets) => Outcome | null;

const ends: Record<Prediction['status'], End> = {
  starting: () => null,
  processing: () => null,
  succeeded: (of, mapping) => outcomeFromResponse(of, mapping, defaults, null),
  failed: ({ error }, mapping, secrets) =>
    reportedFailure({ text: errorText(error), code: 'GENERATION_FAILED' }, mapping, secrets),
  canceled: () => failure('GENERATION_FAILED', 'The run was stopped before it finished.'),
  aborted: () => failure('GENERATION_TIMEOUT'),
};

function errorText(error: unknown): string {
  if (typeof error === 'string') return error;
  return error === undefined || error === null ? '' : JSON.stringify(error);
}
