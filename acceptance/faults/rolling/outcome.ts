import { auditLedger } from '@holdfast/db/audit/audit';
import type { Database } from '@holdfast/db/client';
import { until } from '@holdfast/testkit/until';
import type { Received } from '@holdfast/testkit/webhookReceiver';
import type { EventBody } from '../../stack/executions.ts';

/** Resolves when every execution has ended and everything that follows is done. */
export async function untilIdle(
  { prisma }: Database,
  organizationId: string,
  withinMs = 90_000,
): Promise<void> {
  let left = {};
  await until(
    'all work is done',
    async () => {
      left = {
        executions: await prisma.execution.count({ where: { organizationId, completedAt: null } }),
        attempts: await prisma.attempt.count({ where: { finishedAt: null } }),
        callbacks: await prisma.providerCallback.count({ where: { processedAt: null } }),
        events: await prisma.event.count({ where: { organizationId, fannedOutAt: null } }),
        deliveries: await prisma.delivery.count({ where: { organizationId, state: 'pending' } }),
      };
      return Object.values(left).every((count) => count === 0);
    },
    withinMs,
  ).catch((error: Error) => {
    throw new Error(`${error.message}: ${JSON.stringify(left)}`);
  });
}

/** Describes everything that was lost or done twice, and every broken invariant, a line each. */
export async function problemsOf(args: {
  db: Database;
  organizationId: string;
  accepted: readonly string[];
  received: readonly Received[];
}): Promise<string[]> {
  const { db, organizationId, accepted, received } = args;
  const executions = await db.prisma.execution.findMany({ where: { organizationId } });
  const runs = await db.prisma.attempt.groupBy({ by: ['executionId'], _count: true });
  const known = new Set(executions.map(({ id }) => id));
  const wanted = new Set(accepted);
  const events = new Set(received.map(({ body }) => nameOf(JSON.parse(body) as EventBody)));
  const due = executions.flatMap(({ id, status }) => [`${id} started`, `${id} ${status.toLowerCase()}`]);
  return [
    ...accepted.filter((id) => !known.has(id)).map((id) => `${id} was accepted and lost`),
    ...executions.filter(({ id }) => !wanted.has(id)).map(({ id }) => `${id} was created without a request`),
    ...executions
      .filter(({ status }) => status !== 'COMPLETED')
      .map(({ id, status, errorCode }) => `${id} ended ${status} ${errorCode ?? ''}`),
    ...runs.filter(({ _count }) => _count > 1).map((run) => `${run.executionId} ran ${run._count} times`),
    ...due.filter((name) => !events.has(name)).map((name) => `the webhook of ${name} did not arrive`),
    ...(await auditLedger(db)).map(({ invariant, id, found }) => `audit: ${invariant} ${id} ${found}`),
  ];
}

const nameOf = (event: EventBody) => `${event.execution_id} ${event.type.replace('execution.', '')}`;
