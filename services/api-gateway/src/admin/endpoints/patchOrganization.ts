import { updateOrganization } from '@holdfast/db/organizations';
import { z } from 'zod';
import { keylessEndpoint } from '../../context/endpoint.ts';
import { idParams, notFound, requireId } from '../../http/fields.ts';
import {
  maxConcurrencyField,
  OrganizationRecord,
  organizationName,
  organizationRecords,
  overageField,
  spendLimitOverageField,
} from '../organizations.ts';

export const patchOrganization = keylessEndpoint({
  method: 'PATCH',
  path: '/admin/v1/organizations/{id}',
  tag: 'Organizations',
  summary: "Change an organization's name, concurrency or overage policies",
  access: 'operator',
  limit: 'other',
  params: idParams('org', 'id'),
  body: z.strictObject({
    name: organizationName.optional(),
    max_concurrency: maxConcurrencyField.optional(),
    overage: overageField.optional(),
    spend_limit_overage: spendLimitOverageField.optional(),
  }),
  responses: { 200: { description: 'The organization', schema: OrganizationRecord } },
  async handle({ context, params, body }) {
    const id = requireId('org', params.id, 'organization');
    const organization = await updateOrganization(context.db, id, {
      name: body.name,
      maxConcurrency: body.max_concurrency,
      overage: body.overage,
      spendLimitOverage: body.spend_limit_overage,
    });
    if (!organization) throw notFound('organization');
    const [record] = await organizationRecords(context, [organization]);
    return { status: 200, body: record };
  },
});
