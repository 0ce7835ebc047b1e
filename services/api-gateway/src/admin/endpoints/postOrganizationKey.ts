import { z } from 'zod';
import { boundsFor, unbounded } from '../../access/keyBounds.ts';
import { apiKeyRequest, checkKeyRequest } from '../../access/keyRequest.ts';
import { issueApiKey, resolveOwner } from '../../access/newKeys.ts';
import { ApiKeyRecord, apiKeyRecord, exampleKey } from '../../api/apiKeys/apiKeyRecord.ts';
import { keylessEndpoint } from '../../context/endpoint.ts';
import { idParams } from '../../http/fields.ts';
import { findOrganization } from '../organizations.ts';

export const postOrganizationKey = keylessEndpoint({
  method: 'POST',
  path: '/admin/v1/organizations/{id}/api-keys',
  tag: 'API keys',
  summary: 'Create an API key for an organization',
  access: 'operator',
  limit: 'other',
  params: idParams('org', 'id'),
  body: apiKeyRequest,
  responses: {
    201: {
      description: 'The key, with its value',
      schema: ApiKeyRecord.extend({
        key: z.string().meta({ description: 'The key. Returned only once', example: exampleKey }),
      }).meta({ id: 'NewApiKey' }),
    },
  },
  async handle({ context, params, body }) {
    await checkKeyRequest(context, body);
    const bounds = boundsFor(unbounded, body);
    const { id, testOf } = await findOrganization(context, params.id);
    const creator = { organizationId: id, isTest: testOf !== null };
    const organizationId = await resolveOwner(context, creator, body.mode);
    const key = await issueApiKey(context.db, { organizationId, name: body.name, bounds });
    return { status: 201, body: { ...apiKeyRecord(key), key: key.value } };
  },
});
