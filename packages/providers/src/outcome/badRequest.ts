import type { OutcomeMapping } from '@holdfast/domain/modelDefinition';
import type { Answer } from '../connection.ts';
import type { Progress } from '../interface.ts';
import { isAboutInput, type Report, reportedFailure, ruledFailure } from './failure.ts';
import { clientField } from './field.ts';
import { answerText, rawText, type Secrets } from './raw.ts';

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
