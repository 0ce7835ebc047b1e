import { keylessEndpoint } from '../../context/endpoint.ts';
import { idParams } from '../../http/fields.ts';
import { changeSpendLimit, LimitedRecord, spendLimitBody } from '../../money/spendLimits.ts';
import { findOrganization } from '../organizations.ts';

export const putSpendLimit = keylessEndpoint({
  method: 'PUT',
  path: '/admin/v1/organizations/{id}/spend-limit',
  tag: 'Organizations',
  summary: 'Limit what an organization may spend in a month',
  access: 'operator',
  limit: 'other',
  params: idParams('org', 'id'),
  body: spendLimitBody,
  responses: { 200: { description: 'The limit is set', schema: LimitedRecord } },
  async handle({ context, params, body }) {
    const { id: organizationId } = await findOrganization(context, params.id);
    return await changeSpendLimit(context, { organizationId, apiKeyId: null }, body.amount);
  },
});
