import { recordOutcomes } from '@holdfast/db/attempts/outcomes';
import type { Database } from '@holdfast/db/client';
import { completeExecutions } from '@holdfast/db/executions/endings';
import { startExecutions } from '@holdfast/db/executions/start';
import type { Money } from '@holdfast/domain/money';
import { insertTestExecution } from '@holdfast/testkit/testData';

/** Creates a pending execution with a hold of 0.60; returns its id. */
export function newExecution(db: Database, organizationId: string, model = 'writer'): Promise<string> {
  return insertTestExecution(db, { organizationId, model });
}

/** Creates a completed and charged execution; returns its id. */
export async function completedExecution(
  db: Database,
  args: {
    organizationId: string;
    model?: string;
    cost: Money;
    providerCost?: Money;
    tokens?: [input: number, output: number];
    completedAt?: string;
  },
): Promise<string> {
  const { organizationId, model, cost, providerCost = null, completedAt } = args;
  const [inputTokens, outputTokens] = args.tokens ?? [0, 0];
  const id = await newExecution(db, organizationId, model);
  const [started] = await startExecutions(db, [{ id, connection: 'sandbox', target: 'm' }], 30);
  const attemptId = started?.attemptId ?? '';
  const outcome = { ok: true, output: {}, inputTokens, outputTokens, cost } as const;
  await recordOutcomes(db, [{ attemptId, outcome, state: 'succeeded', providerCost }]);
  await completeExecutions(db, [attemptId]);
  if (completedAt) await setCompletedAt(db, id, completedAt);
  return id;
}

/** The creation is set to a second earlier. */
async function setCompletedAt(db: Database, id: string, time: string): Promise<void> {
  await db.prisma.execution.update({
    where: { id },
    data: { createdAt: new Date(Date.parse(time) - 1000), completedAt: new Date(time) },
  });
}
