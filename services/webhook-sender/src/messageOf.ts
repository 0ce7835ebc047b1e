import type { ClaimedDelivery } from '@holdfast/db/webhooks/lanes';
import { thinEventBody } from '@holdfast/domain/eventBody';
import { eventTypes } from '@holdfast/domain/eventTypes';
import type { Message } from './send.ts';

/** What is sent of a delivery: the event as it was written, or with ids and status alone, the same on every attempt. */
export function messageOf(delivery: ClaimedDelivery): Message {
  return delivery.isThin ? { ...delivery, body: thinBodyOf(delivery) ?? delivery.body } : delivery;
}

/** Null for an event of an endpoint, which is small. */
function thinBodyOf(delivery: ClaimedDelivery): string | null {
  const { eventId: id, organizationId, executionId, eventCreatedAt: createdAt } = delivery;
  const type = eventTypes.find((known) => known === delivery.eventType);
  if (type === undefined || executionId === null) return null;
  return thinEventBody({ id, type, organizationId, executionId, createdAt });
}
