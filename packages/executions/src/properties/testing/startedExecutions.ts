import type { RecordedOutcome } from '@holdfast/domain/outcome';
import type { CreateRequest } from '../../creator.ts';
import { holdOf, money } from './amounts.ts';
import { success } from './commands/record.ts';
import { testRoute } from './processes.ts';
import type { KnownExecution, Run } from './run.ts';

export type StartedExecution = KnownExecution & { attempt: { id: string; token: string } };

const estimatedCost = '0.5';
const hold = holdOf(estimatedCost);
/** Less than the hold, equal, more. */
const costs = [hold / 3n, hold, hold + 1n];

export function requestOf(run: Run, index: number, idempotencyKey: string | null): CreateRequest {
  const organizationId = run.organizationIds[index % run.organizationIds.length] ?? '';
  return {
    organizationId,
    apiKeyId: `key_${organizationId}`,
    idempotencyKey,
    requestHash: idempotencyKey && 'a hash',
    model: 'a-model',
    input: {},
    metadata: null,
    webhookUrl: null,
    estimatedCost,
    timeoutS: 600,
  };
}

/** Creates pending executions. */
export async function createMany(run: Run, count: number): Promise<KnownExecution[]> {
  const { creator } = run.processes.gateways[0];
  const created = Array.from({ length: count }, async (_, index): Promise<KnownExecution> => {
    const request = requestOf(run, index, null);
    const { organizationId } = request;
    const { record, replayed } = await creator.create(request);
    run.accepted.push({ organizationId, idempotencyKey: null, id: record.id, replayed });
    return { id: record.id, request, organizationId, attempt: null, outcomes: [] };
  });
  run.executions = await Promise.all(created);
  return run.executions;
}

/** Creates and starts executions. */
export async function startMany(run: Run, count: number): Promise<StartedExecution[]> {
  const { starter } = run.processes.dispatchers[0];
  const started = (await createMany(run, count)).map(async (execution): Promise<StartedExecution> => {
    const attempt = await starter.start(execution.id, testRoute);
    if (!attempt) throw new Error('not started');
    return Object.assign(execution, { attempt: { id: attempt.attemptId, token: attempt.attemptToken } });
  });
  return await Promise.all(started);
}

/** Records this outcome for each, or successes that cost less than the hold, the same, and more. */
export async function recordMany(
  run: Run,
  ones: StartedExecution[],
  outcome?: RecordedOutcome,
): Promise<void> {
  const { recorder } = run.processes.dispatchers[0];
  const recorded = ones.map(async (one, index) => {
    const recordedOutcome = outcome ?? successOf(index);
    one.outcomes.push(recordedOutcome);
    await recorder.recordOutcome(
      one.attempt.id,
      recordedOutcome,
      recordedOutcome.ok ? 'succeeded' : 'failed',
    );
  });
  await Promise.all(recorded);
}

export const successOf = (index: number): RecordedOutcome =>
  success(money(costs[index % costs.length] ?? hold));
