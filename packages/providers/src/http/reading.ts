import type { IncomingHttpHeaders } from 'node:http';
import { type ExecutionErrorCode, isExecutionErrorCode } from '@holdfast/domain/errors';
import { isNumber } from '@holdfast/domain/json';
import type { Failure, Outcome, OutcomeMapping } from '@holdfast/domain/outcome';
import type { HttpResponse } from '../connection.ts';
import type { RunProgress } from '../interface.ts';
import { reportedFailure } from '../outcome/failure.ts';
import { type FieldPath, readDetail } from '../outcome/field.ts';
import { type Secrets, withRaw } from '../outcome/raw.ts';
import { outcomeFromResponse } from '../outcome/success.ts';
import { atPlace, numberAt } from '../place.ts';
import type { HttpOptions } from './options.ts';
import { outputUrls } from './outputUrl.ts';

const runStatuses = ['done', 'failed', 'running'] as const;
export type RunStatus = (typeof runStatuses)[number] | 'unknown';

/** `unknown`: the response has no status that the model's YAML lists. */
export function runStatusIn(json: unknown, { status }: HttpOptions): RunStatus {
  if (status?.at === undefined) return 'unknown';
  const found = atPlace(json, status.at);
  const isOneOf = (values: unknown[] = []) => values.includes(found);
  if (isOneOf(status.done)) return 'done';
  if (isOneOf(status.failed)) return 'failed';
  if (isOneOf(status.running)) return 'running';
  const isValue = found !== undefined && found !== null;
  return isValue && status.running === undefined ? 'running' : 'unknown';
}

/** `lost`: the server does not know the run. */
export function runStatusOf(
  { status, json }: Pick<HttpResponse, 'status' | 'json'>,
  options: HttpOptions,
): RunStatus | 'lost' {
  const byCode = runStatuses.find((one) => options.status?.codes?.[one].includes(status));
  if (byCode !== undefined) return byCode;
  if (status === 404 || status === 410) return 'lost';
  if (status < 200 || status > 299) return 'unknown';
  const runStatus = runStatusIn(json, options);
  if (runStatus !== 'unknown') return runStatus;
  if (status === 202) return 'running';
  // Without a status, 200 is the end.
  if (options.status?.at !== undefined) return 'unknown';
  if (options.response_as !== 'json') return 'done';
  if (json === undefined) return 'unknown';
  return errorText(json, options) === '' ? 'done' : 'failed';
}

export function progressIn(json: unknown, options: HttpOptions): RunProgress {
  const progress = options.progress === undefined ? null : numberAt(json, options.progress);
  const position = options.queue_position === undefined ? null : numberAt(json, options.queue_position);
  const logs = logsIn(json, options);
  return {
    ...(progress !== null && { progress: Math.min(progress / options.progress_of, 1) }),
    ...(position !== null && Number.isInteger(position) && { queuePosition: position }),
    ...(logs !== undefined && { logs }),
  };
}

export function logsIn(json: unknown, { logs }: HttpOptions): string | undefined {
  const found = logs === undefined ? undefined : atPlace(json, logs);
  const lines = Array.isArray(found) ? found.filter((line) => typeof line === 'string').join('\n') : found;
  return typeof lines === 'string' && lines !== '' ? lines : undefined;
}

export function successOf(
  json: unknown,
  options: HttpOptions,
  mapping: OutcomeMapping,
  elapsedS: number | null,
  secrets: Secrets,
  headers?: IncomingHttpHeaders,
): Outcome {
  const { usage, output } = options;
  const places = {
    output,
    inputTokens: usage.input_tokens === undefined ? [] : [usage.input_tokens],
    outputTokens: usage.output_tokens === undefined ? [] : [usage.output_tokens],
    cost: usage.cost === undefined ? [] : [usage.cost],
    costHeader: usage.cost_header,
    seconds: usage.seconds === undefined ? [] : [usage.seconds],
    urlOf: outputUrls(options, secrets),
    secondsOf: usage.seconds_of,
  };
  const outcome = outcomeFromResponse(json, mapping, places, elapsedS, headers);
  return outcome.ok ? outcome : withRaw(outcome, saidIn(json), secrets);
}

export function failureOf(
  json: unknown,
  options: HttpOptions,
  mapping: OutcomeMapping,
  secrets: Secrets,
): Failure {
  const code = codeIn(json, options) ?? 'GENERATION_FAILED';
  return reportedFailure({ ...reportIn(json, options), code }, mapping, secrets, saidIn(json));
}

export function reportIn(json: unknown, options: HttpOptions): { text: string; fields: FieldPath[] } {
  const { errors } = options;
  const detail = readDetail(json);
  const found = errors.field === undefined ? undefined : atPlace(json, errors.field);
  return {
    text: errorText(json, options) || detail.text || defaultText(json),
    fields: typeof found === 'string' ? [found.split('.')] : detail.fields,
  };
}

/** Where most servers have it. */
function defaultText(json: unknown): string {
  const found = ['/error/message', '/error', '/message'].map((place) => atPlace(json, place));
  return found.find((text) => typeof text === 'string') ?? '';
}

export function codeIn(json: unknown, { errors }: HttpOptions): ExecutionErrorCode | undefined {
  const found = errors.code === undefined ? undefined : atPlace(json, errors.code);
  const name = isNumber(found) ? String(found) : found;
  if (typeof name !== 'string') return undefined;
  const code = Object.hasOwn(errors.codes, name) ? errors.codes[name] : name;
  return code !== undefined && isExecutionErrorCode(code) ? code : undefined;
}

export function errorText(json: unknown, { errors }: HttpOptions): string {
  const found = errors.text === undefined ? undefined : atPlace(json, errors.text);
  if (found === undefined || found === null) return '';
  return typeof found === 'string' ? found : JSON.stringify(found);
}

function saidIn(json: unknown): string {
  return JSON.stringify(json) ?? 'not JSON';
}
