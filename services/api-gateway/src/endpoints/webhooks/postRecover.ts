import { recoverDeliveries } from '@holdfast/db/webhookEndpoints/recover';
import { z } from 'zod';
import { endpoint } from '../../http/endpoint.ts';
import { idParams } from '../../http/fields.ts';
import { findEndpoint } from '../../webhooks/findEndpoint.ts';
import { maxHints } from '../../webhooks/maxHints.ts';

export const postRecover = endpoint({
  method: 'POST',
  path: '/v1/webhooks/endpoints/{id}/recover',
  tag: 'Webhooks',
  summary: 'Send all failed deliveries again',
  description:
    'Every delivery to this endpoint made since then that has failed or expired becomes due again.',
  permission: 'full',
  limit: 'other',
  params: idParams('wh', 'id'),
  body: z
    .strictObject({
      since: z.iso
        .datetime({ offset: true })
        .meta({ description: 'ISO 8601', example: '2026-03-20T10:00:00Z' }),
    })
    .meta({ id: 'RecoverRequest' }),
  responses: {
    200: {
      description: 'How many are due again',
      schema: z.object({ redelivered: z.int().meta({ example: 3 }) }).meta({ id: 'Recovered' }),
    },
  },
  async handle({ context, caller, params, body }) {
    const { id } = await findEndpoint(context.db, caller.organizationId, params.id);
    const due = await recoverDeliveries(context.db, id, new Date(body.since));
    await context.deliver.addAll(due.slice(0, maxHints).map((deliveryId) => ({ deliveryId })));
    return { status: 200, body: { redelivered: due.length } };
  },
});
