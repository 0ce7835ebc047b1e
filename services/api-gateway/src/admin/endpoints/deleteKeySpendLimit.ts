import { keylessEndpoint } from '../../context/endpoint.ts';
import {
  changeSpendLimit,
  findLimitedKey,
  LimitedRecord,
  limitedKeyParams,
} from '../../money/spendLimits.ts';
import { findOrganization } from '../organizations.ts';

export const deleteKeySpendLimit = keylessEndpoint({
  method: 'DELETE',
  path: '/admin/v1/organizations/{id}/api-keys/{key_id}/spend-limit',
  tag: 'API keys',
  summary: "Remove an API key's spend limit",
  access: 'operator',
  limit: 'other',
  params: limitedKeyParams,
  responses: { 200: { description: 'The limit is removed', schema: LimitedRecord } },
  async handle({ context, params }) {
    const { id: organizationId } = await findOrganization(context, params.id);
    const apiKeyId = await findLimitedKey(context, organizationId, params.key_id);
    return await changeSpendLimit(context, { organizationId, apiKeyId }, null);
  },
});
