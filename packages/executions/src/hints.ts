import type { EndedExecution } from '@holdfast/db/executions/endings';
import type { NewEvent } from '@holdfast/db/webhooks/newEvents';
import { type abortQueue, fanoutJobs, type fanoutQueue, type PayloadOf } from '@holdfast/queues/definitions';
import type { Producer } from '@holdfast/queues/producer';

export type FanoutProducer = Producer<PayloadOf<typeof fanoutQueue>>;

export type EndingHints = {
  fanout: FanoutProducer;
  abort: Producer<PayloadOf<typeof abortQueue>>;
};

/** Called after the commit; `startedAtMs` is when the statement was sent, since 1970. */
export type OnEnded = (ended: EndedExecution[], startedAtMs: number) => void;

/** After the commit: the webhook-sender fans the events out, or sends the deliveries that were written with them. */
export async function hintEvents(fanout: FanoutProducer, events: NewEvent[]): Promise<void> {
  const deliveryIds = events.flatMap((event) => event.deliveryIds);
  const eventIds = events.flatMap((event) => (event.deliveryIds.length > 0 ? [] : (event.eventId ?? [])));
  await fanout.addAll(fanoutJobs({ eventIds, deliveryIds }));
}

/** After the commit of an ending without a result: the dispatcher also stops the run. */
export async function hintStop(hints: EndingHints, ended: EndedExecution[]): Promise<void> {
  await Promise.all([
    hintEvents(hints.fanout, ended),
    hints.abort.addAll(ended.map(({ executionId }) => ({ executionId }))),
  ]);
}
