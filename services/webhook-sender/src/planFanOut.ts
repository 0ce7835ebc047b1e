import type { EventToFanOut } from '@holdfast/db/webhooks/fanOut';
import { type ActiveEndpoint, isSubscribed, type Receivers } from '@holdfast/db/webhooks/fanOut';
import { deliveryLane } from '@holdfast/domain/deliveryLane';
import { deliveredEventBody, type Event } from '@holdfast/domain/eventBody';
import { terminalEventTypes } from '@holdfast/domain/eventTypes';
import { limits } from '@holdfast/domain/limits';
import type { Logger } from '@holdfast/kit/logger';

export type PlannedEvent = {
  event: Event;
  /** Null when nobody receives it. */
  body: string | null;
  receivers: PlannedReceiver[];
  model: string;
  /** Its place in a trace. */
  traceparent: string | null;
};

export type PlannedReceiver = Omit<ActiveEndpoint, 'id' | 'events' | 'models'> & {
  /** Null: the execution's own `webhook_url`. */
  endpointId: string | null;
  lane: string;
};

/** Who is sent what. One event that can't be rendered must not hold up the others of its batch. */
export function planFanOut(read: EventToFanOut, audience: Receivers, log: Logger): PlannedEvent[] {
  const event: Event = {
    id: read.eventId,
    type: read.eventType,
    organizationId: read.organizationId,
    executionId: read.id,
    createdAt: read.eventCreatedAt,
  };
  try {
    const receivers = receiversOf(read, audience);
    const body = receivers.length > 0 ? deliveredEventBody(event, read) : null;
    return [{ event, body, receivers, model: read.model, traceparent: read.traceparent }];
  } catch (error) {
    log.error(
      { err: error, eventId: event.id, executionId: event.executionId },
      'event could not be rendered',
    );
    return [];
  }
}

/** Spec, "Events" 7: `webhook_url` hears of endings alone. */
function receiversOf(read: EventToFanOut, { endpoints, secrets }: Receivers): PlannedReceiver[] {
  const { webhookUrl, organizationId, eventType: type, model } = read;
  const subscribed = endpoints
    .filter((endpoint) => isSubscribed(endpoint, { type, model }))
    .map(({ id, ...endpoint }) => ({ ...endpoint, endpointId: id, lane: id }));
  if (webhookUrl === null || !terminalEventTypes.some((ending) => ending === type)) return subscribed;
  const own: PlannedReceiver = {
    ...secrets,
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
