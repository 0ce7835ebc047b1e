import type { AnyEndpointRow, EndpointActivity } from '@holdfast/db/webhooks/anyEndpoints';
import { z } from 'zod';
import { Delivery } from '../api/webhooks/deliveryRecord.ts';
import { WebhookEndpoint, webhookEndpointRecord } from '../api/webhooks/endpointRecord.ts';
import { idField } from '../http/fields.ts';

export const AnyEndpointRecord = WebhookEndpoint.extend({
  organization_id: idField('org'),
  in_flight_limit: z
    .int()
    .nullable()
    .describe(
      'Open requests that the endpoint has been found to take, at most `max_in_flight`; null: unknown',
    ),
  activity: z
    .object({
      attempts: z.int(),
      succeeded: z.int(),
      p50_ms: z.number().nullable(),
      p95_ms: z.number().nullable(),
    })
    .meta({
      id: 'EndpointActivity',
      description:
        'The finished attempts of 200 deliveries at most, among its newest 1,000 within 24 hours; none while all of these wait',
    }),
}).meta({ id: 'AnyWebhookEndpoint' });

export function anyEndpointRecord(
  row: AnyEndpointRow,
  { p50Ms, p95Ms, ...counts }: EndpointActivity,
): z.infer<typeof AnyEndpointRecord> {
  return {
    ...webhookEndpointRecord(row),
    organization_id: row.organizationId,
    in_flight_limit: row.inFlightLimit,
    activity: { ...counts, p50_ms: p50Ms, p95_ms: p95Ms },
  };
}

export const AnyDelivery = Delivery.extend({ organization_id: idField('org') }).meta({ id: 'AnyDelivery' });
