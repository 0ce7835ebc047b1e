import type { ClaimedAttempt } from '@holdfast/db/attempts/claim';
import { mappingOf } from '@holdfast/domain/modelDefinition';
import { providerMode } from '@holdfast/domain/modelRoute';
import type { PreparedInput } from '@holdfast/providers/input';
import type { Submission } from '@holdfast/providers/interface';
import type { Context } from './context.ts';
import type { Route } from './route.ts';

/** An attempt as the jobs know it. */
export type Run = {
  attemptId: string;
  attemptToken: string;
  /** Where it was sent, or is about to be. */
  connection: string;
  target: string;
  begunAtMs: number;
  /** What its provider gave it once it was accepted. */
  handle?: ClaimedAttempt['handle'];
  /** Characters of its log that the execution has. */
  logged: number;
  /** How often a provider was busy. */
  busyRefusals: number;
  id: string;
  organizationId: string;
  model: string;
  input: Record<string, unknown>;
  remainingMs: number;
  /** The execution's place in a trace. */
  traceparent: string | null;
};

/** What the provider is sent, and where it calls back. Without a prepared input it serves for asking about a run alone. */
export function toSubmission(
  context: Pick<Context, 'callbackBaseUrl'>,
  { definition, route }: Route,
  run: Run,
  { input, parts }: PreparedInput = { input: run.input, parts: [] },
): Submission {
  return {
    executionId: run.id,
    token: run.attemptToken,
    begunAtMs: run.begunAtMs,
    providerModel: route.model,
    parts,
    input,
    options: route.options,
    mode: providerMode(route, run.input),
    mapping: mappingOf(definition, route, run.input),
    callbackUrl:
      context.callbackBaseUrl &&
      `${context.callbackBaseUrl}/v1/callbacks/${route.connection}/${run.attemptToken}`,
    timeoutMs: run.remainingMs,
  };
}
