import { type ExecutionErrorCode, isExecutionErrorCode } from '@holdfast/domain/errorCodes';
import type { OutcomeMapping } from '@holdfast/domain/modelDefinition';
import type { Failure, Outcome } from '@holdfast/domain/outcome';
import type { Telling } from '../interface.ts';
import { atPointer } from '../jsonPointer.ts';
import { failureFromText } from '../outcome/failure.ts';
import { withRaw } from '../outcome/raw.ts';
import type { Secrets } from '../outcome/scrub.ts';
import { outcomeFromAnswer } from '../outcome/success.ts';
import type { HttpOptions } from './options.ts';

export type Standing = 'done' | 'failed' | 'running' | 'unknown';

/** How a run stands by the status in an answer. `unknown`: the answer has none that the model's YAML knows. */
export function standingIn(json: unknown, { status }: HttpOptions): Standing {
  if (status === undefined) return 'unknown';
  const found = atPointer(json, status.at);
  const isOneOf = (values: unknown[]) => values.includes(found);
  if (isOneOf(status.done)) return 'done';
  if (isOneOf(status.failed)) return 'failed';
  const isValue = found !== undefined && found !== null;
  return isValue && (status.running === undefined || isOneOf(status.running)) ? 'running' : 'unknown';
}

/** What an answer tells of a run that goes on. */
export function tellingIn(json: unknown, options: HttpOptions): Telling {
  const progress = options.progress === undefined ? undefined : atPointer(json, options.progress);
  const place = options.queue_position === undefined ? undefined : atPointer(json, options.queue_position);
  const logs = logsIn(json, options);
  return {
    ...(typeof progress === 'number' && {
      progress: Math.min(Math.max(progress / options.progress_of, 0), 1),
    }),
    ...(typeof place === 'number' && Number.isInteger(place) && place >= 0 && { queuePosition: place }),
    ...(logs !== undefined && { logs }),
  };
}

export function logsIn(json: unknown, { logs }: HttpOptions): string | undefined {
  const found = logs === undefined ? undefined : atPointer(json, logs);
  const lines = Array.isArray(found) ? found.filter((line) => typeof line === 'string').join('\n') : found;
  return typeof lines === 'string' && lines !== '' ? lines : undefined;
}

/** The outcome of a run that has ended well, as its server says. */
export function successOf(
  json: unknown,
  options: HttpOptions,
  mapping: OutcomeMapping,
  elapsedS: number | null,
  secrets: Secrets,
): Outcome {
  const { usage, output } = options;
  const places = {
    output,
    inputTokens: usage.input_tokens === undefined ? [] : [usage.input_tokens],
    outputTokens: usage.output_tokens === undefined ? [] : [usage.output_tokens],
    cost: usage.cost === undefined ? [] : [usage.cost],
    seconds: usage.seconds === undefined ? [] : [usage.seconds],
  };
  const outcome = outcomeFromAnswer(json, mapping, places, elapsedS);
  return outcome.ok ? outcome : withRaw(outcome, saidIn(json), secrets);
}

/** The outcome of a run that has failed, as its server says. */
export function failureOf(
  json: unknown,
  options: HttpOptions,
  { errors }: OutcomeMapping,
  secrets: Secrets,
  said: string = saidIn(json),
): Failure {
  const code = codeIn(json, options) ?? 'GENERATION_FAILED';
  return failureFromText(errorText(json, options), { code, shown: true }, errors, secrets, said);
}

/** Our code for the server's, where the model's YAML knows it. */
export function codeIn(json: unknown, { errors }: HttpOptions): ExecutionErrorCode | undefined {
  const found = errors.code === undefined ? undefined : atPointer(json, errors.code);
  const name = typeof found === 'number' ? String(found) : found;
  if (typeof name !== 'string') return undefined;
  const code = Object.hasOwn(errors.codes, name) ? errors.codes[name] : name;
  return code !== undefined && isExecutionErrorCode(code) ? code : undefined;
}

export function errorText(json: unknown, { errors }: HttpOptions): string {
  const found = errors.text === undefined ? undefined : atPointer(json, errors.text);
  if (found === undefined || found === null) return '';
  return typeof found === 'string' ? found : JSON.stringify(found);
}

function saidIn(json: unknown): string {
  return JSON.stringify(json) ?? 'something that is no JSON';
}
