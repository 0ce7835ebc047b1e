import { getApiKey, revokeApiKey } from '@holdfast/db/apiKeys';
import { z } from 'zod';
import { requireWithin } from '../../access/keyBounds.ts';
import { endpoint } from '../../context/endpoint.ts';
import { idField, idParams, notFound, requireId } from '../../http/fields.ts';

export const deleteApiKey = endpoint({
  method: 'DELETE',
  path: '/v1/api-keys/{id}',
  operationId: 'revokeApiKey',
  tag: 'API keys',
  summary: 'Revoke an API key',
  description:
    'The key, including its previous value after a rotation, stops working within 5 seconds. Revoking a revoked key changes nothing. A key can revoke itself, and no key with wider access than its own.',
  scope: 'keys',
  limit: 'other',
  params: idParams('key', 'id'),
  responses: {
    200: {
      description: 'The key is revoked',
      schema: z.object({ id: idField('key'), revoked: z.literal(true) }).meta({ id: 'RevokedApiKey' }),
    },
  },
  async handle({ context, caller, params }) {
    const id = requireId('key', params.id, 'API key');
    const current = await getApiKey(context.db, caller.organizationId, id);
    if (!current) throw notFound('API key');
    requireWithin(caller, current);
    if (!(await revokeApiKey(context.db, caller.organizationId, id))) throw notFound('API key');
    return { status: 200, body: { id, revoked: true } };
  },
});
