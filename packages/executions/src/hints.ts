import type { EndedExecution } from '@holdfast/db/executions/endings';
import type { NewEvent } from '@holdfast/db/webhooks/newEvents';
import type { ExecutionStatus } from '@holdfast/domain/statuses';
import type { PublishChanges } from '@holdfast/queues/changes';
import { type abortQueue, fanoutJobs, type fanoutQueue, type PayloadOf } from '@holdfast/queues/definitions';
import type { Producer } from '@holdfast/queues/producer';

/** Whom to notify of a new status after its commit: the webhook-sender of its event, gateways for the clients that wait for it. */
export type StatusHints = {
  fanout: Producer<PayloadOf<typeof fanoutQueue>>;
  publishChanges: PublishChanges;
};

export type EndingHints = StatusHints & {
  abort: Producer<PayloadOf<typeof abortQueue>>;
};

/** Called after the commit; `startedAtMs` is when the statement was sent, since 1970. */
export type OnEnded = (ended: EndedExecution[], startedAtMs: number) => void;

/** The balance of this organization, or what else its statement needs, is locked by another transaction. */
export type OnBlocked = (organizationId: string) => void;

/** After the commit: the webhook-sender fans the events out, or sends the deliveries that were written with them. */
export async function hintStatus(
  { fanout, publishChanges }: StatusHints,
  status: ExecutionStatus,
  events: (NewEvent & { executionId: string })[],
): Promise<void> {
  publishChanges(
    events.map(({ executionId }) => executionId),
    status,
  );
  const deliveryIds = events.flatMap((event) => event.deliveryIds);
  const eventIds = events.flatMap((event) => (event.deliveryIds.length > 0 ? [] : (event.eventId ?? [])));
  await fanout.addAll(fanoutJobs({ eventIds, deliveryIds }));
}

/** After the commit of an ending without a result: the dispatcher also stops the run. */
export async function hintStop(
  hints: EndingHints,
  status: ExecutionStatus,
  ended: EndedExecution[],
): Promise<void> {
  await Promise.all([
    hintStatus(hints, status, ended),
    hints.abort.addAll(ended.map(({ executionId }) => ({ executionId }))),
  ]);
}
