import type { ExecutionErrorCode } from '@holdfast/domain/errors';
import type { OutcomeMapping } from '@holdfast/domain/outcome';
import type { HttpResponse } from '../connection.ts';
import type { Progress } from '../interface.ts';
import { badRequest, failure, reportedFailure } from '../outcome/failure.ts';
import { responseText, type Secrets, withRaw } from '../outcome/raw.ts';
import { lost, retryAfterMs } from '../progress.ts';
import type { HttpOptions } from './options.ts';
import { codeIn, reportIn } from './reading.ts';

/** The model's YAML or the response decides whether the input is at fault. */
const bad = [400, 413, 415, 422];
/** Certainly not accepted; can be retried. */
const busy = [409, 425, 429, 503];
/** A proxy gave up; the server behind it may continue. */
const proxied = [408, 502, 504];

export function readRefusal(
  response: HttpResponse,
  options: HttpOptions,
  mapping: OutcomeMapping,
  secrets: Secrets,
): Progress {
  const { status, json } = response;
  const said = responseText(response);
  const named = codeIn(json, options) ?? options.errors.statuses[status];
  if (proxied.includes(status) || status > 504) {
    const outcome = status === 502 || status > 504 ? lost : failure('GENERATION_TIMEOUT');
    return { state: 'unknown', outcome: withRaw(outcome, said, secrets) };
  }
  const code = named ?? defaultCode(status);
  if (busy.includes(status) || (status < 500 && isTransient(named))) {
    const outcome = withRaw(failure(code), said, secrets);
    const refused = {
      state: 'refused',
      retryAfterMs: retryAfterMs(response.headers, 1000),
      outcome,
    } as const;
    return busy.includes(status) || named !== 'MODEL_UNAVAILABLE' ? { ...refused, isBusy: true } : refused;
  }
  const report = reportIn(json, options);
  if (status < 500 && (named === undefined ? bad.includes(status) : named === 'SERVICE_UNAVAILABLE')) {
    return badRequest(response, { ...report, code: named ?? null }, mapping, secrets);
  }
  if (named !== undefined || status === 500)
    return { state: 'ended', outcome: reportedFailure({ ...report, code }, mapping, secrets, said) };
  const alert = `the connection returned ${status}: check its URL and key, and the model's options`;
  return { state: 'refused', retryAfterMs: null, outcome: withRaw(failure(code), said, secrets), alert };
}

function isTransient(code: ExecutionErrorCode | undefined): boolean {
  return code === 'MODEL_OVERLOADED' || code === 'MODEL_UNAVAILABLE' || code === 'RATE_LIMITED';
}

function defaultCode(status: number): ExecutionErrorCode {
  if (status === 404 || status === 405) return 'MODEL_UNAVAILABLE';
  if (busy.includes(status)) return 'MODEL_OVERLOADED';
  return status === 500 ? 'GENERATION_FAILED' : 'SERVICE_UNAVAILABLE';
}
