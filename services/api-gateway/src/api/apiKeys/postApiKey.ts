import { z } from 'zod';
import { boundsFor } from '../../access/keyBounds.ts';
import { apiKeyRequest, checkKeyRequest } from '../../access/keyRequest.ts';
import { issueApiKey, resolveOwner } from '../../access/newKeys.ts';
import { endpoint } from '../../context/endpoint.ts';
import { timestamp } from '../../http/fields.ts';
import { apiKeyBase, apiKeyFields, exampleKey } from './apiKeyRecord.ts';

const Created = z
  .object({
    ...apiKeyFields,
    key: z.string().meta({ description: 'The key. Returned only once', example: exampleKey }),
    created_at: timestamp('When the key was created'),
  })
  .meta({ id: 'CreatedApiKey' });

export const postApiKey = endpoint({
  method: 'POST',
  path: '/v1/api-keys',
  operationId: 'createApiKey',
  tag: 'API keys',
  summary: 'Create an API key',
  description:
    'An organization has at most 20 active keys. Omitted fields are copied from the calling key, which cannot create a key with wider access than its own.',
  scope: 'keys',
  limit: 'other',
  body: apiKeyRequest,
  responses: { 201: { description: 'The key', schema: Created } },
  errors: ['API_KEY_LIMIT_REACHED'],
  async handle({ context, caller, body }) {
    await checkKeyRequest(context, body);
    const bounds = boundsFor(caller, body);
    const organizationId = await resolveOwner(context, caller, body.mode);
    const key = await issueApiKey(context.db, { organizationId, name: body.name, bounds });
    const reply: z.infer<typeof Created> = {
      ...apiKeyBase(key),
      key: key.value,
      created_at: key.createdAt.toISOString(),
    };
    return { status: 201, body: reply };
  },
});
