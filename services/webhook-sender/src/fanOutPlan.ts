import {
  type ActiveEndpoint,
  type EventToFanOut,
  isSubscribed,
  type Receivers,
} from '@holdfast/db/webhooks/fanOut';
import { deliveryLane, type Event, type EventType, terminalEventTypes } from '@holdfast/domain/events';
import { limits } from '@holdfast/domain/limits';
import { updateTypes, type WebhookDialect } from '@holdfast/domain/webhookDialect';

export type PlannedEvent = {
  event: Event;
  body: string | null;
  receivers: PlannedReceiver[];
  model: string;
  traceparent: string | null;
};

export type PlannedReceiver = Omit<ActiveEndpoint, 'id' | 'events' | 'models' | 'dialect'> & {
  /** Null: the execution's own `webhook_url`. */
  endpointId: string | null;
  lane: string;
  endpointDialect: string | null;
  dialect: WebhookDialect | null;
};

export function planFanOut(
  events: EventToFanOut[],
  candidatesByOrganization: Map<string, Receivers>,
): PlannedEvent[] {
  return events.flatMap((event) => {
    // Missing: another process fanned it out between the two reads.
    const candidates = candidatesByOrganization.get(event.organizationId);
    if (!candidates) return [];
    const receivers = receiversOf(event, candidates);
    const { body, model, traceparent } = event;
    return { event, body: receivers.length > 0 ? body : null, receivers, model, traceparent };
  });
}

function isSentToUrl(type: EventType, dialect: WebhookDialect | null): boolean {
  const isTerminal = terminalEventTypes.some((terminal) => terminal === type);
  if (dialect === null) return isTerminal;
  // The end is the last news for those who asked for news alone.
  const wanted: readonly string[] = isTerminal ? ['completed', ...updateTypes] : ['start'];
  return dialect.events.some((event) => wanted.includes(event));
}

/** Contract 8.9: `webhook_url` gets the final event only, unless a compatible API says otherwise. */
function receiversOf(event: EventToFanOut, { endpoints, secrets }: Receivers): PlannedReceiver[] {
  const { webhookUrl, webhookDialect: dialect, organizationId, type, model } = event;
  const subscribed = endpoints
    .filter((endpoint) => isSubscribed(endpoint, { type, model }))
    .map(({ id, dialect: endpointDialect, ...endpoint }) => ({
      ...endpoint,
      endpointId: id,
      lane: id,
      endpointDialect,
      dialect,
    }));
  if (webhookUrl === null || !isSentToUrl(type, dialect)) return subscribed;
  const own: PlannedReceiver = {
    ...secrets,
    endpointId: null,
    endpointDialect: null,
    dialect,
    lane: deliveryLane({ endpointId: null, organizationId, url: webhookUrl }),
    url: webhookUrl,
    headers: null,
    isThin: false,
    isFailing: false,
    isPaced: false,
    maxInFlight: limits.webhookUrlMaxInFlight,
    inFlightLimit: null,
  };
  return [...subscribed, own];
}

const maxDeliveriesPerStatement = 1000;

/** Portions that are written by one statement each. An event is never divided, even with more receivers than the limit. */
export function inPortions(planned: PlannedEvent[]): PlannedEvent[][] {
  const portions: PlannedEvent[][] = [];
  let room = 0;
  for (const event of planned) {
    room -= Math.max(1, event.receivers.length);
    if (room < 0) {
      portions.push([]);
      room = maxDeliveriesPerStatement - event.receivers.length;
    }
    portions.at(-1)?.push(event);
  }
  return portions;
}
