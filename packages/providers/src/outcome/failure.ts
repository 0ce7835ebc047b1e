import { type ExecutionErrorCode, isExecutionErrorCode } from '@holdfast/domain/errorCodes';
import type { OutcomeMapping } from '@holdfast/domain/modelDefinition';
import type { Failure } from '@holdfast/domain/outcome';
import { withRaw } from './raw.ts';
import { type Secrets, scrub } from './scrub.ts';

const sentences = {
  INPUT_VALIDATION_ERROR: 'The model refused the input.',
  CONTENT_MODERATION_REJECTED: 'The input or the output was rejected by content moderation.',
  FILE_NOT_FOUND: 'A file of the input was not found.',
  FILE_FORMAT_UNSUPPORTED: 'The format of a file is not supported by the model.',
  INSUFFICIENT_BALANCE: 'The balance is too low.',
  RATE_LIMITED: 'Too many requests.',
  MODEL_OVERLOADED: 'The model is overloaded. Try again later.',
  MODEL_UNAVAILABLE: 'The model is not available at the moment.',
  GENERATION_TIMEOUT: 'The model did not finish in time.',
  GENERATION_FAILED: 'The model failed to generate a result.',
  SERVICE_UNAVAILABLE: 'The service is not available at the moment.',
  INTERNAL_ERROR: 'An internal error occurred.',
} as const satisfies Record<ExecutionErrorCode, string>;

/** A failure in our own words. What the provider said goes beside them by `withRaw`. */
export function failure(code: ExecutionErrorCode, message: string = sentences[code]): Failure {
  return { ok: false, code, message: message === '' ? sentences[code] : message };
}

/**
 * A failure from a provider's error text. The model's `errors` rules decide first; else it is `code`, with
 * the text scrubbed when `shown` (words of the model about this input, not of a server about itself).
 * `said` is what the operator sees as the provider's words: the text, unless there is more.
 */
export function failureFromText(
  text: string,
  otherwise: { code: ExecutionErrorCode; shown: boolean },
  rules: OutcomeMapping['errors'],
  secrets: Secrets,
  said: string = text,
): Failure {
  const mapped =
    byRule(text.slice(0, 20_000), rules, secrets) ??
    failure(otherwise.code, otherwise.shown ? scrub(text, secrets) : undefined);
  return withRaw(mapped, said, secrets);
}

function byRule(text: string, rules: OutcomeMapping['errors'], secrets: Secrets): Failure | null {
  for (const rule of rules) {
    const match = new RegExp(rule.match, 's').exec(text);
    const code = rule.code ?? match?.groups?.code ?? '';
    if (match === null || !isExecutionErrorCode(code)) continue;
    const words = match.groups?.message;
    return failure(code, rule.message ?? (words === undefined ? undefined : scrub(words, secrets)));
  }
  return null;
}
