import type { Ended } from '@holdfast/db/executions/endings';
import type { abortQueue, PayloadOf } from '@holdfast/queues/definitions';
import { fanoutJobs, type fanoutQueue } from '@holdfast/queues/definitions';
import type { Producer } from '@holdfast/queues/producer';

/** The queues told of an ending. */
export type EndingHints = {
  fanout: Producer<PayloadOf<typeof fanoutQueue>>;
  abort: Producer<PayloadOf<typeof abortQueue>>;
};

/** After commit: receivers are told of the event. */
export async function hintEvents(fanout: EndingHints['fanout'], ended: Ended[]): Promise<void> {
  await fanout.addAll(fanoutJobs(ended.map(({ eventId }) => eventId)));
}

/** After commit of an ending that the provider doesn't know of: it is told to stop. */
export async function hintStop(hints: EndingHints, ended: Ended[]): Promise<void> {
  await Promise.all([
    hintEvents(hints.fanout, ended),
    hints.abort.addAll(ended.map(({ executionId }) => ({ executionId }))),
  ]);
}
