import { z } from 'zod';
import { issueApiKey } from '../../apiKeys/issueApiKey.ts';
import { endpoint } from '../../http/endpoint.ts';
import { timestamp } from '../../http/fields.ts';
import { apiKeyFields, exampleKey, permissionsField } from './apiKeyRecord.ts';

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
  description: 'An organization has at most 20 active keys.',
  permission: 'full',
  limit: 'other',
  body: z
    .strictObject({
      name: z.string().trim().min(1).max(100).meta({ description: 'A label for people', example: 'CI' }),
      permissions: permissionsField.default('full'),
    })
    .meta({ id: 'ApiKeyRequest' }),
  responses: { 201: { description: 'The key', schema: Created } },
  errors: ['API_KEY_LIMIT_REACHED'],
  async handle({ context, caller, body }) {
    const key = await issueApiKey(context.db, { organizationId: caller.organizationId, ...body });
    const reply: z.infer<typeof Created> = {
      id: key.id,
      name: key.name,
      prefix: key.prefix,
      permissions: key.permissions,
      key: key.value,
      created_at: key.createdAt.toISOString(),
    };
    return { status: 201, body: reply };
  },
});
