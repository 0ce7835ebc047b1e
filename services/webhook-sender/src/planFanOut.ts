import type { EventToFanOut } from '@holdfast/db/webhooks/eventsToFanOut';
import { eventBody } from '@holdfast/domain/eventBody';
import { terminalEventTypes } from '@holdfast/domain/eventTypes';
import type { Logger } from '@holdfast/kit/logger';

export type PlannedEvent = {
  eventId: string;
  executionId: string;
  /** Null when nobody receives it. */
  body: string | null;
  receivers: PlannedReceiver[];
};

export type PlannedReceiver = {
  /** Null: the execution's own `webhook_url`. */
  endpointId: string | null;
  url: string;
  secret: string;
  headers: string | null;
  isFailing: boolean;
};

/** Who is sent what. One event that can't be rendered must not hold up the others of its batch. */
export function planFanOut(event: EventToFanOut, log: Logger): PlannedEvent[] {
  const { eventId, id: executionId } = event;
  try {
    const receivers = receiversOf(event);
    return [{ eventId, executionId, body: receivers.length > 0 ? render(event) : null, receivers }];
  } catch (error) {
    log.error({ err: error, eventId, executionId }, 'event could not be rendered');
    return [];
  }
}

/** Spec, "Events" 7: `webhook_url` hears of endings alone. */
function receiversOf({ endpoints, webhookUrl, webhookSecret, eventType }: EventToFanOut): PlannedReceiver[] {
  const subscribed = endpoints.map(({ id, ...endpoint }) => ({ endpointId: id, ...endpoint }));
  const isEnding = terminalEventTypes.some((type) => type === eventType);
  if (webhookUrl === null || webhookSecret === null || !isEnding) return subscribed;
  const own = { endpointId: null, url: webhookUrl, secret: webhookSecret, headers: null, isFailing: false };
  return [...subscribed, own];
}

function render(event: EventToFanOut): string {
  const { eventId, eventType, eventCreatedAt, organizationId } = event;
  return eventBody(
    { id: eventId, type: eventType, organizationId, executionId: event.id, createdAt: eventCreatedAt },
    event,
  );
}
