import { type ExecutionErrorCode, isExecutionErrorCode } from '@holdfast/domain/errors';
import type { ProviderText } from '@holdfast/domain/modelResponse';
import type { Failure, OutcomeMapping } from '@holdfast/domain/outcome';
import { compilePattern, type Pattern } from '@holdfast/domain/pattern';
import type { HttpResponse } from '../connection.ts';
import type { Progress } from '../interface.ts';
import { atPlace } from '../place.ts';
import { clientField, type FieldPath } from './field.ts';
import { firstLine, rawText, responseText, type Secrets, withRaw } from './raw.ts';
import { isTooLong } from './tooLong.ts';

const messages = {
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

const wordsAboutInput: Partial<Record<ExecutionErrorCode, ProviderText>> = {
  INPUT_VALIDATION_ERROR: 'validation',
  FILE_NOT_FOUND: 'validation',
  FILE_FORMAT_UNSUPPORTED: 'validation',
  CONTENT_MODERATION_REJECTED: 'moderation',
};

const maxFields = 5;

const tooLong = 'The input is too long for the model.';

export type Report = {
  text: string;
  code: ExecutionErrorCode;
  fields?: readonly FieldPath[];
  /** The provider's error type. */
  kind?: string;
};

export function failure(code: ExecutionErrorCode, message: string = messages[code]): Failure {
  return { ok: false, code, message };
}

export function isAboutInput(code: ExecutionErrorCode): boolean {
  return wordsAboutInput[code] !== undefined;
}

/** By the rules of the model on outputs (`when`); null: none applies. */
export function outputFailure(document: unknown, { errors }: OutcomeMapping): Failure | null {
  for (const { when, code, message } of errors) {
    if (when === undefined || code === undefined) continue;
    const found = [atPlace(document, when.at)].flat();
    if (found.includes(when.equals)) return failure(code, message ?? messages[code]);
  }
  return null;
}

/** The model's `errors` rules come first. Clients read the provider's text only under `mapping.show`; operators read `said`. */
export function reportedFailure(
  report: Report,
  mapping: OutcomeMapping,
  secrets: Secrets,
  said: string = report.text,
): Failure {
  const code = isTooLong(report) ? 'INPUT_VALIDATION_ERROR' : report.code;
  const mapped =
    ruledFailure(report, mapping, secrets) ?? failure(code, messageOf(code, report, mapping, secrets));
  return withRaw(mapped, said, secrets);
}

export function ruledFailure(
  report: Omit<Report, 'code'>,
  mapping: OutcomeMapping,
  secrets: Secrets,
): Failure | null {
  const text = report.text.slice(0, 20_000);
  for (const rule of mapping.errors) {
    if (rule.match === undefined) continue;
    const groups = patternOf(rule.match).groups(text);
    const code = rule.code ?? groups?.code ?? '';
    if (groups === null || !isExecutionErrorCode(code)) continue;
    const words = firstLine(groups.message ?? '', secrets);
    return failure(code, rule.message ?? (words || messageOf(code, report, mapping, secrets)));
  }
  return null;
}

const patterns = new Map<string, Pattern>();

/** The patterns come from the models' definitions, which are few. */
function patternOf(source: string): Pattern {
  const pattern = patterns.get(source) ?? compilePattern(source, { matchesNewlines: true });
  patterns.set(source, pattern);
  return pattern;
}

function messageOf(
  code: ExecutionErrorCode,
  report: Omit<Report, 'code'>,
  mapping: OutcomeMapping,
  secrets: Secrets,
): string {
  const { text, fields = [] } = report;
  const kind = wordsAboutInput[code];
  if (kind === undefined) return messages[code];
  const words = mapping.show?.includes(kind) ? firstLine(text, secrets) : '';
  if (words !== '') return words;
  const message = code === 'INPUT_VALIDATION_ERROR' && isTooLong(report) ? tooLong : messages[code];
  const names = new Set(fields.flatMap((path) => clientField(path, mapping) ?? []));
  if (names.size === 0) return message;
  return `${message.replace(/\.$/, '')}: check ${[...names].slice(0, maxFields).join(', ')}.`;
}

export type BadRequest = Omit<Report, 'code'> & {
  /** Null when the provider's codes do not blame the input. */
  code: Report['code'] | null;
};

const maxKind = 200;

/** Ends the run if a rule, code, field or 413 blames the input. Else our settings may be wrong: next provider (ADR 0032). */
export function badRequest(
  response: HttpResponse,
  { code, ...report }: BadRequest,
  mapping: OutcomeMapping,
  secrets: Secrets,
): Progress {
  const isClients = (report.fields ?? []).some((path) => clientField(path, mapping) !== null);
  const isTooLarge = response.status === 413 || isTooLong(report);
  const known = code ?? (isClients || isTooLarge ? 'INPUT_VALIDATION_ERROR' : 'MODEL_UNAVAILABLE');
  const outcome = reportedFailure({ ...report, code: known }, mapping, secrets, responseText(response));
  if (isAboutInput(outcome.code)) return { state: 'ended', outcome };
  const refused = { state: 'refused', retryAfterMs: null, outcome } as const;
  if (ruledFailure(report, mapping, secrets) !== null) return refused;
  const what = `${response.status} ${(report.kind ?? '').slice(0, maxKind)}`.trim();
  const alert = `the connection returned ${what}, not known to be about the input: read the attempt's raw error`;
  return { ...refused, alert: rawText(alert, secrets) };
}
