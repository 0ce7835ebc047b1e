import { getApiKey, rotateApiKey } from '@holdfast/db/apiKeys';
import { apiKeyPrefix, hashApiKey, newApiKey } from '@holdfast/domain/apiKey';
import { z } from 'zod';
import { requireWithin } from '../../access/keyBounds.ts';
import { endpoint } from '../../context/endpoint.ts';
import { idParams, notFound, requireId, timestamp } from '../../http/fields.ts';
import { apiKeyBase, apiKeyFields, exampleKey } from './apiKeyRecord.ts';

const Rotated = z
  .object({
    ...apiKeyFields,
    new_key: z.string().meta({ description: 'The new value. Returned only once', example: exampleKey }),
    previous_key_valid_until: timestamp('When the previous value stops working: one hour after the rotation'),
  })
  .meta({ id: 'RotatedApiKey' });

export const postRotate = endpoint({
  method: 'POST',
  path: '/v1/api-keys/{id}/rotate',
  operationId: 'rotateApiKey',
  tag: 'API keys',
  summary: 'Rotate an API key',
  description: 'Gives the key a new value; its id and bounds stay the same. No body is required.',
  scope: 'keys',
  limit: 'other',
  params: idParams('key', 'id'),
  responses: { 200: { description: 'The new value', schema: Rotated } },
  async handle({ context, caller, params }) {
    const id = requireId('key', params.id, 'API key');
    const current = await getApiKey(context.db, caller.organizationId, id);
    if (!current) throw notFound('API key');
    requireWithin(caller, current);
    const value = newApiKey();
    const key = await rotateApiKey(context.db, {
      organizationId: caller.organizationId,
      id,
      hash: hashApiKey(value),
      prefix: apiKeyPrefix(value),
    });
    if (!key) throw notFound('API key');
    const reply: z.infer<typeof Rotated> = {
      ...apiKeyBase(key),
      new_key: value,
      previous_key_valid_until: key.previousKeyValidUntil.toISOString(),
    };
    return { status: 200, body: reply };
  },
});
