import type { SigningSecrets } from './signingSecrets.ts';

/** A delivery that its claimer alone attempts until the lease ends. */
export type ClaimedDelivery = SigningSecrets & {
  id: string;
  lane: string;
  organizationId: string;
  /** Attempts used of those it has, this one included. */
  attempts: number;
  /** Of the attempt's row; goes on counting when a delivery is sent again on request. */
  number: number;
  endpointId: string | null;
  /** The one request that a failing endpoint gets to show it is well again. */
  isProbe: boolean;
  url: string;
  eventId: string;
  eventType: string;
  eventCreatedAt: Date;
  /** Null: the event tells of an endpoint. */
  executionId: string | null;
  /** The event's place in a trace. */
  traceparent: string | null;
  /** Whether ids and status alone are sent, which follow from the event. */
  isThin: boolean;
  /** The event in full. */
  body: string;
  /** The endpoint's custom headers: sealed JSON. */
  headers: string | null;
};
