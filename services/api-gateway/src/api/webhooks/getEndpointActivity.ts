import { timeFromNow } from '@holdfast/db/statement';
import { maxDeliveries, readEndpointHours } from '@holdfast/db/webhooks/endpointHours';
import { z } from 'zod';
import { endpoint } from '../../context/endpoint.ts';
import { idParams, timestamp, withCommas } from '../../http/fields.ts';
import { findEndpoint } from './endpointRecord.ts';

const hourMs = 3_600_000;
const hoursShown = 24;

const Hour = z
  .object({
    at: timestamp('The start of the hour'),
    succeeded: z.int(),
    failed: z.int(),
    p50_ms: z.number().nullable().describe('Half of the attempts ended within this time'),
    p95_ms: z.number().nullable(),
  })
  .meta({ id: 'WebhookEndpointHour', description: 'Attempts that started in this hour and have ended' });

export const getEndpointActivity = endpoint({
  method: 'GET',
  path: '/v1/webhooks/endpoints/{id}/activity',
  operationId: 'getWebhookEndpointActivity',
  tag: 'Webhooks',
  summary: 'Show how the attempts at an endpoint went',
  description:
    `Attempts and their duration by hour, for the last ${hoursShown} hours: those of the newest ` +
    `${withCommas(maxDeliveries)} deliveries at most.`,
  scope: 'webhooks',
  limit: 'other',
  params: idParams('wh', 'id'),
  responses: {
    200: {
      description: 'The last hours',
      schema: z
        .object({
          hours: z.array(Hour).describe('The last 24 hours, oldest first'),
          counted_since: timestamp('Older deliveries were not counted')
            .nullable()
            .describe('Null: the deliveries of all hours are counted'),
        })
        .meta({ id: 'WebhookEndpointActivity' }),
    },
  },
  async handle({ context, caller, params }) {
    const { id } = await findEndpoint(context.db, caller.organizationId, params.id);
    const now = await timeFromNow(context.db, 0);
    const from = new Date((Math.floor(now.getTime() / hourMs) - hoursShown + 1) * hourMs);
    const { hours, since } = await context.reader.read(caller.organizationId, (db) =>
      readEndpointHours(db, id, from),
    );
    const byTime = new Map(hours.map((hour) => [hour.at.getTime(), hour]));
    return {
      status: 200,
      body: {
        hours: Array.from({ length: hoursShown }, (_, index) => {
          const at = new Date(from.getTime() + index * hourMs);
          const { succeeded = 0, failed = 0, p50Ms = null, p95Ms = null } = byTime.get(at.getTime()) ?? {};
          return { at: at.toISOString(), succeeded, failed, p50_ms: p50Ms, p95_ms: p95Ms };
        }),
        counted_since: since?.toISOString() ?? null,
      },
    };
  },
});
