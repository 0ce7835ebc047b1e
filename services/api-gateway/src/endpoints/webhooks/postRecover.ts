import { z } from 'zod';
import { endpoint } from '../../http/endpoint.ts';
import { idParams } from '../../http/fields.ts';
import { givenTime } from '../../http/timeFilter.ts';
import { findEndpoint } from '../../webhooks/findEndpoint.ts';
import { recover } from '../../webhooks/recover.ts';

/** At one call, which takes about a second. */
const mostAtOnce = 10_000;

export const postRecover = endpoint({
  method: 'POST',
  path: '/v1/webhooks/endpoints/{id}/recover',
  tag: 'Webhooks',
  summary: 'Send all that failed or was missed',
  description:
    'Every delivery to this endpoint made since then that has failed or expired becomes due again. So do the events of ' +
    'the last 24 hours that it missed while it was inactive after failures; not while you had switched it off. The ' +
    `oldest come first, at most ${mostAtOnce.toLocaleString('en')} at a call: call again while \`has_more\` is true. ` +
    'What is due at an inactive endpoint is sent once it is active.',
  scope: 'webhooks',
  limit: 'other',
  params: idParams('wh', 'id'),
  body: z
    .strictObject({
      since: givenTime().meta({ description: 'ISO 8601', example: '2026-03-20T10:00:00Z' }),
    })
    .meta({ id: 'RecoverRequest' }),
  responses: {
    200: {
      description: 'How many are due',
      schema: z
        .object({
          redelivered: z.int().meta({ example: 3 }),
          has_more: z.boolean().meta({ description: 'Whether others are left', example: false }),
        })
        .meta({ id: 'Recovered' }),
    },
  },
  async handle({ context, caller, params, body }) {
    const { organizationId } = caller;
    const endpoint = await findEndpoint(context.db, organizationId, params.id);
    const since = new Date(body.since);
    const { count, hasMore } = await recover(context, organizationId, endpoint, since, mostAtOnce);
    if (count > 0) await context.deliver.add({ lane: endpoint.id, organizationId });
    return { status: 200, body: { redelivered: count, has_more: hasMore } };
  },
});
