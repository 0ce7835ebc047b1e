import type { ExecutionErrorCode } from '@holdfast/domain/errors';
import type { OutcomeMapping } from '@holdfast/domain/outcome';
import type { HttpResponse } from '../connection.ts';
import type { Progress } from '../interface.ts';
import { badRequest, failure } from '../outcome/failure.ts';
import { type FieldPath, readDetail } from '../outcome/field.ts';
import { rawText, responseText, type Secrets, withRaw } from '../outcome/raw.ts';
import { lost, retryAfterMs } from '../progress.ts';
import type { Health } from './container.ts';

export function readRefusal(response: HttpResponse, mapping: OutcomeMapping, secrets: Secrets): Progress {
  const { status } = response;
  const said = responseText(response);
  const failed = (code: ExecutionErrorCode) => withRaw(failure(code), said, secrets);
  const busy = (code: ExecutionErrorCode): Progress => ({
    state: 'refused',
    retryAfterMs: retryAfterMs(response.headers, 1000),
    outcome: failed(code),
    isBusy: true,
  });
  const useless = (code: ExecutionErrorCode, alert: string): Progress => ({
    state: 'refused',
    retryAfterMs: null,
    outcome: failed(code),
    alert,
  });
  if (status === 400 || status === 413 || status === 415 || status === 422) {
    const { text, fields } = readDetail(response.json);
    return badRequest(response, { text, code: null, fields: fields.flatMap(belowInput) }, mapping, secrets);
  }
  if (status === 409 || status === 429) return busy('MODEL_OVERLOADED');
  if (status === 503) return busy('MODEL_UNAVAILABLE');
  if (status === 404 || status === 405)
    return useless('MODEL_UNAVAILABLE', `the model's address returned ${status}`);
  if (status === 504) return { state: 'unknown', outcome: failed('GENERATION_TIMEOUT') };
  if (status >= 500) return { state: 'unknown', outcome: withRaw(lost, said, secrets) };
  if (status >= 300)
    return useless('SERVICE_UNAVAILABLE', `the connection returned ${status}: check its URL and key`);
  return {
    state: 'ended',
    outcome: failed('GENERATION_FAILED'),
    alert: `the connection returned ${status} with something other than a prediction`,
  };
}

/** Another container may run it, so the execution goes there, or waits. */
export function refusedByDeadContainer({ status, reason }: Health, secrets: Secrets): Progress {
  const said = rawText(`the container says ${status}${reason === '' ? '' : `: ${reason}`}`, secrets);
  return {
    state: 'refused',
    retryAfterMs: 1000,
    outcome: withRaw(failure('MODEL_UNAVAILABLE'), said, secrets),
    alert: `${said}; it takes no runs until it is restarted`,
    isDead: true,
  };
}

/** The client's fields: those outside `input` (`id`, `webhook`) are set by us. */
function belowInput([first, ...rest]: FieldPath): FieldPath[] {
  return first === 'input' ? [rest] : [];
}
