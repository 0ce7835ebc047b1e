import type { Database } from '@holdfast/db/client';
import type { EventToFanOut } from '@holdfast/db/webhooks/fanOut';
import { claimUpdates, releaseUpdate, type Update, watchUpdates } from '@holdfast/db/webhooks/updates';
import { updateEventType, updateTypes } from '@holdfast/domain/webhookDialect';
import type { Logger } from '@holdfast/kit/logger';
import { createShares } from '@holdfast/kit/shares';
import type { Send } from './message.ts';

/** Longer than a call may take: then another sender takes over. */
const leaseS = 45;
/** Calls that a sender has open at once; one organization gets at most half of what is free. */
const maxOpen = 256;

export type Updates = {
  /** Calls whoever has news and was not called for a while. Resolves when all calls have begun. */
  callDue(): Promise<void>;
  idle(): Promise<void>;
};

/**
 * Clients of compatible APIs may be called while an execution runs. Unlike a delivery, a call that fails is not repeated: the
 * next one reports all that it did, or the delivery of the end does.
 */
export function createUpdates({ db, send, log }: { db: Database; send: Send; log: Logger }): Updates {
  const open = createShares(maxOpen);

  async function call(update: Update): Promise<void> {
    const { executionId, organizationId, events, logged } = update;
    if (open.roomOf(organizationId) === 0)
      return await releaseUpdate(db, update, { wasCalled: false, leaseS });
    open.take(organizationId, 1);
    try {
      const eventId = `${executionId}-${events}-${logged}`;
      const result = await send({ ...update, eventId, eventType: updateEventType, body: '', headers: null });
      const { ok, durationMs } = result;
      log.info({ executionId, stage: ok ? null : result.stage, durationMs }, 'webhook update');
      await releaseUpdate(db, update, { wasCalled: true, leaseS });
    } finally {
      open.give(organizationId, 1);
    }
  }

  return {
    async callDue() {
      const limit = maxOpen - open.taken();
      if (limit === 0) return;
      for (const update of await claimUpdates(db, { limit, leaseS }))
        call(update).catch((error: unknown) => {
          const { executionId } = update;
          log.warn({ err: error, executionId }, 'could not release an update; its lease will end');
        });
    },
    idle: open.idle,
  };
}

/** Before the fan-out of the starts among these events is written: if the process dies in between, both are done again. */
export async function watchStarted(db: Database, events: readonly EventToFanOut[]): Promise<void> {
  const started = events.flatMap(({ type, executionId, webhookUrl, webhookDialect: dialect }) => {
    const types = updateTypes.filter((one) => dialect?.events.some((event) => event === one));
    return type === 'execution.started' && webhookUrl !== null && types.length > 0
      ? { executionId, types }
      : [];
  });
  await watchUpdates(db, started);
}
