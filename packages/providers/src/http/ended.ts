import type { IncomingHttpHeaders } from 'node:http';
import type { OutcomeMapping } from '@holdfast/domain/modelDefinition';
import type { Ended } from '../interface.ts';
import type { Secrets } from '../outcome/raw.ts';
import type { Document } from './document.ts';
import type { HttpOptions } from './options.ts';
import { errorText, failureOf, logsIn, standingIn, successOf } from './reading.ts';

/** The document that tells of a run, and the headers of its answer. */
export type Told = Document & { headers?: IncomingHttpHeaders };

/**
 * The end of a run as an answer or a callback tells it; null while it goes on or nothing is said. Where the model's YAML
 * names no status, what has the output has ended, and so has what has an error.
 */
export function endedBy(
  told: Told,
  options: HttpOptions,
  mapping: OutcomeMapping,
  secrets: Secrets,
  elapsedS: number | null = null,
): Ended | null {
  const standing = standingIn(told.value, options);
  const success = () => succeeded(told, options, mapping, secrets, elapsedS);
  const failure = () => endOf(told.value, options, failureOf(told.value, options, mapping, secrets));
  if (standing === 'done') return success();
  if (standing === 'failed') return failure();
  if (standing === 'running' || options.status?.at !== undefined) return null;
  if (errorText(told.value, options) !== '') return failure();
  const ended = success();
  return ended.outcome.ok ? ended : null;
}

/** The end of a run that has succeeded, as its server says. `elapsedS`: how long it took, if that is known. */
export function succeeded(
  { value, bodies, headers }: Told,
  options: HttpOptions,
  mapping: OutcomeMapping,
  secrets: Secrets,
  elapsedS: number | null = null,
): Ended {
  const outcome = successOf(value, options, mapping, elapsedS, secrets, headers);
  if (!outcome.ok) for (const body of bodies) body.close();
  return { ...endOf(value, options, outcome), ...(outcome.ok && bodies.length > 0 && { bodies }) };
}

/** The end of a run whose answer also holds its log. */
export function endOf(value: unknown, options: HttpOptions, outcome: Ended['outcome']): Ended {
  const logs = logsIn(value, options);
  return { state: 'ended', outcome, ...(logs !== undefined && { logs }) };
}
