import { revokeApiKey } from '@holdfast/db/apiKeys';
import { z } from 'zod';
import { endpoint } from '../../http/endpoint.ts';
import { idField, idParams, notFound, requireId } from '../../http/fields.ts';

export const deleteApiKey = endpoint({
  method: 'DELETE',
  path: '/v1/api-keys/{id}',
  tag: 'API keys',
  summary: 'Revoke an API key',
  description:
    'Every value of the key stops working within 5 seconds. Revoking again changes nothing. One that may do more than the key that asks is revoked, too.',
  scope: 'keys',
  limit: 'other',
  params: idParams('key', 'id'),
  responses: {
    200: {
      description: 'It is revoked',
      schema: z.object({ id: idField('key'), revoked: z.literal(true) }).meta({ id: 'RevokedApiKey' }),
    },
  },
  async handle({ context, caller, params }) {
    const id = requireId('key', params.id, 'API key');
    if (!(await revokeApiKey(context.db, caller.organizationId, id))) throw notFound('API key');
    return { status: 200, body: { id, revoked: true } };
  },
});
