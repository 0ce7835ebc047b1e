import type { RecordedOutcome } from '@holdfast/domain/outcome';
import type { CreateRequest } from '../../creator.ts';
import { holdOf, money } from './amounts.ts';
import { success } from './commands/record.ts';
import { somewhere } from './processes.ts';
import type { KnownExecution, Run } from './run.ts';

/** An execution that was started. */
export type Contender = KnownExecution & { attempt: { id: string; token: string } };

const estimatedCost = '0.5';
const hold = holdOf(estimatedCost);
/** Cheaper than the hold, equal, dearer. */
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

/** So many executions, pending. */
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

/** So many executions, started. */
export async function startMany(run: Run, count: number): Promise<Contender[]> {
  const { starter } = run.processes.dispatchers[0];
  const started = (await createMany(run, count)).map(async (execution): Promise<Contender> => {
    const attempt = await starter.start(execution.id, somewhere);
    if (!attempt) throw new Error('not started');
    return Object.assign(execution, { attempt: { id: attempt.attemptId, token: attempt.attemptToken } });
  });
  return await Promise.all(started);
}

/** Ends the runs of these with this outcome, or with successes that cost less than the hold, the same, and more. */
export async function recordMany(run: Run, ones: Contender[], outcome?: RecordedOutcome): Promise<void> {
  const { recorder } = run.processes.dispatchers[0];
  const recorded = ones.map(async (one, index) => {
    const its = outcome ?? successOf(index);
    one.outcomes.push(its);
    await recorder.recordOutcome(one.attempt.id, its, its.ok ? 'succeeded' : 'failed');
  });
  await Promise.all(recorded);
}

export const successOf = (index: number): RecordedOutcome =>
  success(money(costs[index % costs.length] ?? hold));
