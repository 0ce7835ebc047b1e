import type { Database } from '@holdfast/db/client';
import { type EventToFanOut, readEventsToFanOut } from '@holdfast/db/webhooks/eventsToFanOut';
import { type FanOut, fanOutEvents, type Receiver } from '@holdfast/db/webhooks/fanOutEvents';
import { eventBody } from '@holdfast/domain/eventBody';
import { terminalEventTypes } from '@holdfast/domain/eventTypes';
import { limits } from '@holdfast/domain/limits';
import { type Batcher, createBatcher } from '@holdfast/kit/batcher';
import type { Logger } from '@holdfast/kit/logger';

/** Turns events into deliveries, many at a time; an id that is unknown or done already changes nothing. */
export function createFanOut(args: {
  db: Database;
  log: Logger;
  firstDelayS: number;
  /** Told of the new deliveries once they are committed. */
  created(deliveryIds: string[]): Promise<void>;
}): Batcher<string, undefined> {
  const { db, log, firstDelayS } = args;

  async function run(eventIds: string[]): Promise<undefined[]> {
    const events = await readEventsToFanOut(db, [...new Set(eventIds)]);
    const batch = events.flatMap((event) => planned(event, log));
    if (batch.length > 0) {
      const expiryMs = limits.webhookExpiryMs;
      await args.created(await fanOutEvents(db, batch, { firstDelayS, expiryMs }));
    }
    return eventIds.map(() => undefined);
  }

  return createBatcher({ maxSize: 100, concurrency: 2, run });
}

/** One event that can't be rendered must not hold up the others of its batch. */
function planned(event: EventToFanOut, log: Logger): FanOut[] {
  try {
    const receivers = receiversOf(event);
    return [{ eventId: event.eventId, body: receivers.length > 0 ? render(event) : null, receivers }];
  } catch (error) {
    log.error({ err: error, eventId: event.eventId, executionId: event.id }, 'event could not be rendered');
    return [];
  }
}

/** Spec, "Events" 7: `webhook_url` hears of endings alone. */
function receiversOf(event: EventToFanOut): Receiver[] {
  const endpoints = event.endpoints.map(({ id, url }) => ({ endpointId: id, url }));
  if (event.webhookUrl === null || !terminalEventTypes.some((type) => type === event.eventType))
    return endpoints;
  return [...endpoints, { endpointId: null, url: event.webhookUrl }];
}

function render(event: EventToFanOut): string {
  const { eventId, eventType, eventCreatedAt, organizationId } = event;
  return eventBody(
    { id: eventId, type: eventType, organizationId, executionId: event.id, createdAt: eventCreatedAt },
    event,
  );
}
