import type { OutcomeMapping } from '@holdfast/domain/modelDefinition';
import type { Outcome } from '@holdfast/domain/outcome';
import { z } from 'zod';
import {
  predictionOutcome as cogOutcome,
  type Prediction,
  readPrediction as readCog,
} from '../cog/prediction.ts';
import { type Ended, longestId } from '../interface.ts';
import { failure } from '../outcome/failure.ts';
import { type Secrets, withRaw } from '../outcome/raw.ts';

const hosted = z.looseObject({
  id: z.string().min(1).max(longestId),
  model: z.string().nullish(),
  version: z.string().nullish(),
  input: z.unknown().optional(),
  /** Absent, and not null, where the answer does not tell it. */
  webhook: z.string().nullish(),
});

/** A prediction of Cog, with what its host adds. */
export type HostedPrediction = Prediction & z.infer<typeof hosted>;

/** A prediction from an answer or a webhook; null when it is none. */
export function readPrediction(json: unknown): HostedPrediction | null {
  const ofCog = readCog(json);
  const ofHost = hosted.safeParse(json).data;
  return ofCog && ofHost ? { ...ofCog, ...ofHost } : null;
}

/** E6716: it did not start in time. */
const startTimeout = /\bE6716\b/;

/** How a prediction ended; null while it has not. */
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
