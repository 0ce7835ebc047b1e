import { type ExecutionErrorCode, isExecutionErrorCode } from '@holdfast/domain/errors';
import type { OutcomeMapping } from '@holdfast/domain/modelDefinition';
import type { ProviderText } from '@holdfast/domain/modelResponse';
import type { Failure } from '@holdfast/domain/outcome';
import type { Answer } from '../connection.ts';
import type { Progress } from '../interface.ts';
import { clientField, type FieldPath } from './field.ts';
import { answerText, firstLine, rawText, type Secrets, withRaw } from './raw.ts';

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

/** Failures that the client's input causes, and the kind of provider's words about them. */
const wordsAboutInput: Partial<Record<ExecutionErrorCode, ProviderText>> = {
  INPUT_VALIDATION_ERROR: 'validation',
  FILE_NOT_FOUND: 'validation',
  FILE_FORMAT_UNSUPPORTED: 'validation',
  CONTENT_MODERATION_REJECTED: 'moderation',
};

/** More than anyone reads at once. */
const maxFields = 5;

/** What a provider said of a run that failed: its words, what they mean, and where they point to. */
export type Report = { text: string; code: ExecutionErrorCode; fields?: readonly FieldPath[] };

/** A failure in our own words. What the provider said goes beside them by `withRaw`. */
export function failure(code: ExecutionErrorCode, message: string = messages[code]): Failure {
  return { ok: false, code, message };
}

export function isAboutInput(code: ExecutionErrorCode): boolean {
  return wordsAboutInput[code] !== undefined;
}

/**
 * A failure as a provider reports it. The model's `errors` rules decide first. A client reads our message for the code, with
 * the fields of its input that the report names; the provider's own words only where the model shows them (`mapping.show`).
 * `said` is what the operator sees as the provider's words: the text, unless there is more.
 */
export function reportedFailure(
  report: Report,
  mapping: OutcomeMapping,
  secrets: Secrets,
  said: string = report.text,
): Failure {
  const mapped =
    ruledFailure(report, mapping, secrets) ??
    failure(report.code, messageOf(report.code, report, mapping, secrets));
  return withRaw(mapped, said, secrets);
}

/** The failure that the first rule which matches the text makes of it; null: none does. */
export function ruledFailure(
  report: Omit<Report, 'code'>,
  mapping: OutcomeMapping,
  secrets: Secrets,
): Failure | null {
  const text = report.text.slice(0, 20_000);
  for (const rule of mapping.errors) {
    const match = new RegExp(rule.match, 's').exec(text);
    const code = rule.code ?? match?.groups?.code ?? '';
    if (match === null || !isExecutionErrorCode(code)) continue;
    const words = firstLine(match.groups?.message ?? '', secrets);
    return failure(code, rule.message ?? (words || messageOf(code, report, mapping, secrets)));
  }
  return null;
}

function messageOf(
  code: ExecutionErrorCode,
  { text, fields = [] }: Omit<Report, 'code'>,
  mapping: OutcomeMapping,
  secrets: Secrets,
): string {
  const kind = wordsAboutInput[code];
  if (kind === undefined) return messages[code];
  const words = mapping.show?.includes(kind) ? firstLine(text, secrets) : '';
  if (words !== '') return words;
  const names = new Set(fields.flatMap((path) => clientField(path, mapping) ?? []));
  if (names.size === 0) return messages[code];
  return `${messages[code].replace(/\.$/, '')}: check ${[...names].slice(0, maxFields).join(', ')}.`;
}

/** What an adapter reads from a submit that was answered with 400 or the like. */
export type BadRequest = Omit<Report, 'code'> & {
  /** What the provider's own codes say of the input; null: they say nothing of it. */
  code: Report['code'] | null;
  /** The provider's name for the error, for the operator. */
  kind?: string;
};

/** It is logged for the operator. */
const maxKind = 200;

/**
 * What a bad request means. It is the client's where a rule of the model, the provider's code, or a field of the client's
 * input says so, or its size (413): then the run has ended. Everything else may as well be our key, the model's name there, or its options: the
 * run goes to the model's next provider, the operator is alerted, and the client reads that the model is not available.
 */
export function badRequest(
  answer: Answer,
  { code, kind = '', ...report }: BadRequest,
  mapping: OutcomeMapping,
  secrets: Secrets,
): Progress {
  const isClients = (report.fields ?? []).some((path) => clientField(path, mapping) !== null);
  const isTooLarge = answer.status === 413;
  const known = code ?? (isClients || isTooLarge ? 'INPUT_VALIDATION_ERROR' : 'MODEL_UNAVAILABLE');
  const outcome = reportedFailure({ ...report, code: known }, mapping, secrets, answerText(answer));
  if (isAboutInput(outcome.code)) return { state: 'ended', outcome };
  const refused = { state: 'refused', retryAfterMs: null, outcome } as const;
  if (ruledFailure(report, mapping, secrets) !== null) return refused;
  const what = `${answer.status} ${kind.slice(0, maxKind)}`.trim();
  const alert = `the connection answers ${what}, not known to be about the input: read the attempt's raw error`;
  return { ...refused, alert: rawText(alert, secrets) };
}
