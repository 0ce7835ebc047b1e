import { recordOutcomes } from '@holdfast/db/attempts/outcomes';
import type { Database } from '@holdfast/db/client';
import { completeExecutions } from '@holdfast/db/executions/endings';
import { startExecutions } from '@holdfast/db/executions/start';
import type { Money } from '@holdfast/domain/money';
import { insertTestExecution } from '@holdfast/testkit/testData';

/** An execution that is pending, its hold 0.60; answers its id. */
export function newExecution(db: Database, organizationId: string, model = 'writer'): Promise<string> {
  return insertTestExecution(db, { organizationId, model });
}

/** One that has run and is charged, and completed when it is said so; answers its id. */
export async function completedExecution(
  db: Database,
  args: {
    organizationId: string;
    model?: string;
    cost: Money;
    tokens?: [input: number, output: number];
    completedAt?: string;
  },
): Promise<string> {
  const { organizationId, model, cost, tokens: [inputTokens, outputTokens] = [0, 0], completedAt } = args;
  const id = await newExecution(db, organizationId, model);
  const [started] = await startExecutions(db, [{ id, connection: 'sandbox', target: 'm' }], 30);
  const attemptId = started?.attemptId ?? '';
  const outcome = { ok: true, output: {}, inputTokens, outputTokens, cost } as const;
  await recordOutcomes(db, [{ attemptId, outcome, state: 'succeeded' }]);
  await completeExecutions(db, [attemptId]);
  if (completedAt) await setCompletedAt(db, id, completedAt);
  return id;
}

/** Made a second before. */
async function setCompletedAt(db: Database, id: string, time: string): Promise<void> {
  await db.prisma.execution.update({
    where: { id },
    data: { createdAt: new Date(Date.parse(time) - 1000), completedAt: new Date(time) },
  });
}
