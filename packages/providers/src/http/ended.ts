import type { OutcomeMapping } from '@holdfast/domain/modelDefinition';
import type { Ended } from '../interface.ts';
import type { Secrets } from '../outcome/scrub.ts';
import type { HttpOptions } from './options.ts';
import { errorText, failureOf, logsIn, standingIn, successOf } from './reading.ts';

/**
 * The end of a run as an answer or a callback tells it; null while it goes on or nothing is said. Where the model's YAML
 * names no status, what has the output has ended, and so has what has an error.
 */
export function endedBy(
  json: unknown,
  options: HttpOptions,
  mapping: OutcomeMapping,
  secrets: Secrets,
  elapsedS: number | null = null,
): Ended | null {
  const standing = standingIn(json, options);
  const end = (outcome: Ended['outcome']): Ended => {
    const logs = logsIn(json, options);
    return { state: 'ended', outcome, ...(logs !== undefined && { logs }) };
  };
  const success = () => successOf(json, options, mapping, elapsedS, secrets);
  const failure = () => failureOf(json, options, mapping, secrets);
  if (standing === 'done') return end(success());
  if (standing === 'failed') return end(failure());
  if (standing === 'running' || options.status !== undefined) return null;
  if (errorText(json, options) !== '') return end(failure());
  const outcome = success();
  return outcome.ok ? end(outcome) : null;
}
