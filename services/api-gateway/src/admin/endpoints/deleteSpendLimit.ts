import { keylessEndpoint } from '../../context/endpoint.ts';
import { idParams } from '../../http/fields.ts';
import { changeSpendLimit, LimitedRecord } from '../../money/spendLimits.ts';
import { findOrganization } from '../organizations.ts';

export const deleteSpendLimit = keylessEndpoint({
  method: 'DELETE',
  path: '/admin/v1/organizations/{id}/spend-limit',
  tag: 'Organizations',
  summary: "Remove an organization's spend limit",
  access: 'operator',
  limit: 'other',
  params: idParams('org', 'id'),
  responses: { 200: { description: 'The limit is removed', schema: LimitedRecord } },
  async handle({ context, params }) {
    const { id: organizationId } = await findOrganization(context, params.id);
    return await changeSpendLimit(context, { organizationId, apiKeyId: null }, null);
  },
});
