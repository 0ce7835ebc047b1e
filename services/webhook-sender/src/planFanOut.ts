import type { EndpointToTell, EventToFanOut } from '@holdfast/db/webhooks/eventsToFanOut';
import { deliveryLane } from '@holdfast/domain/deliveryLane';
import { type Event, eventBody, thinEventBody } from '@holdfast/domain/eventBody';
import { terminalEventTypes } from '@holdfast/domain/eventTypes';
import { limits } from '@holdfast/domain/limits';
import type { Logger } from '@holdfast/kit/logger';

export type PlannedEvent = {
  event: Event;
  /** Null when nobody receives it. */
  body: string | null;
  receivers: PlannedReceiver[];
};

export type PlannedReceiver = Omit<EndpointToTell, 'id'> & {
  /** Null: the execution's own `webhook_url`. */
  endpointId: string | null;
  lane: string;
};

/** Who is sent what. One event that can't be rendered must not hold up the others of its batch. */
export function planFanOut(read: EventToFanOut, log: Logger): PlannedEvent[] {
  const event: Event = {
    id: read.eventId,
    type: read.eventType,
    organizationId: read.organizationId,
    executionId: read.id,
    createdAt: read.eventCreatedAt,
  };
  try {
    const receivers = receiversOf(read);
    return [{ event, body: receivers.length > 0 ? render(event, read) : null, receivers }];
  } catch (error) {
    log.error(
      { err: error, eventId: event.id, executionId: event.executionId },
      'event could not be rendered',
    );
    return [];
  }
}

/** Spec, "Events" 7: `webhook_url` hears of endings alone. */
function receiversOf(read: EventToFanOut): PlannedReceiver[] {
  const { endpoints, webhookUrl, organizationSecrets, organizationId, eventType } = read;
  const subscribed = endpoints.map(({ id, ...endpoint }) => ({ endpointId: id, lane: id, ...endpoint }));
  const isEnding = terminalEventTypes.some((type) => type === eventType);
  if (webhookUrl === null || organizationSecrets === null || !isEnding) return subscribed;
  const own: PlannedReceiver = {
    ...organizationSecrets,
    endpointId: null,
    lane: deliveryLane({ endpointId: null, organizationId, url: webhookUrl }),
    url: webhookUrl,
    headers: null,
    isThin: false,
    isFailing: false,
    isPaced: false,
    maxInFlight: limits.webhookUrlMaxInFlight,
  };
  return [...subscribed, own];
}

/** What is too large for a webhook is read by whoever is told of it. */
function render(event: Event, read: EventToFanOut): string {
  const body = eventBody(event, read);
  return Buffer.byteLength(body) > limits.webhookBodyBytes ? thinEventBody(event, true) : body;
}
