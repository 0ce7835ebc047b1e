import { z } from 'zod';
import { boundsFor } from '../../apiKeys/keyBounds.ts';
import { apiKeyRequest, checkKeyRequest } from '../../apiKeys/keyRequest.ts';
import { issueApiKey, ownerOf } from '../../apiKeys/newKeys.ts';
import { endpoint } from '../../http/endpoint.ts';
import { timestamp } from '../../http/fields.ts';
import { apiKeyFacts, apiKeyFields, exampleKey } from './apiKeyRecord.ts';

const Created = z
  .object({
    ...apiKeyFields,
    key: z.string().meta({ description: 'The key. Shown only here', example: exampleKey }),
    created_at: timestamp('When the key was made'),
  })
  .meta({ id: 'CreatedApiKey' });

export const postApiKey = endpoint({
  method: 'POST',
  path: '/v1/api-keys',
  tag: 'API keys',
  summary: 'Create an API key',
  description:
    'An organization has at most 20 active keys. What is left out is as it is of the key that asks, which cannot make one that may do more than itself.',
  scope: 'keys',
  limit: 'other',
  body: apiKeyRequest,
  responses: { 201: { description: 'The key', schema: Created } },
  errors: ['API_KEY_LIMIT_REACHED'],
  async handle({ context, caller, body }) {
    await checkKeyRequest(context, body);
    const bounds = boundsFor(caller, body);
    const organizationId = await ownerOf(context, caller, body.mode);
    const key = await issueApiKey(context.db, { organizationId, name: body.name, bounds });
    const reply: z.infer<typeof Created> = {
      ...apiKeyFacts(key),
      key: key.value,
      created_at: key.createdAt.toISOString(),
    };
    return { status: 201, body: reply };
  },
});
