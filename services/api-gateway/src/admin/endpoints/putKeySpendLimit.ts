import { keylessEndpoint } from '../../context/endpoint.ts';
import {
  changeSpendLimit,
  findLimitedKey,
  LimitedRecord,
  limitedKeyParams,
  spendLimitBody,
} from '../../money/spendLimits.ts';
import { findOrganization } from '../organizations.ts';

export const putKeySpendLimit = keylessEndpoint({
  method: 'PUT',
  path: '/admin/v1/organizations/{id}/api-keys/{key_id}/spend-limit',
  tag: 'API keys',
  summary: 'Limit what an API key may spend in a month',
  access: 'operator',
  limit: 'other',
  params: limitedKeyParams,
  body: spendLimitBody,
  responses: { 200: { description: 'The limit is set', schema: LimitedRecord } },
  async handle({ context, params, body }) {
    const { id: organizationId } = await findOrganization(context, params.id);
    const apiKeyId = await findLimitedKey(context, organizationId, params.key_id);
    return await changeSpendLimit(context, { organizationId, apiKeyId }, body.amount);
  },
});
