import { createOrganization } from '@holdfast/db/organizations';
import { newId } from '@holdfast/domain/ids';
import { newWebhookSecret } from '@holdfast/domain/webhookSignature';
import { z } from 'zod';
import { keylessEndpoint } from '../../context/endpoint.ts';
import { OrganizationRecord, organizationName, organizationRecords } from '../organizations.ts';

export const postOrganization = keylessEndpoint({
  method: 'POST',
  path: '/admin/v1/organizations',
  tag: 'Organizations',
  summary: 'Create an organization',
  access: 'operator',
  limit: 'other',
  body: z.strictObject({ name: organizationName }),
  responses: { 201: { description: 'Created, with an empty balance', schema: OrganizationRecord } },
  async handle({ context, body }) {
    const organization = await createOrganization(context.db, {
      id: newId('org'),
      name: body.name,
      sealedSecret: context.box.seal(newWebhookSecret()),
    });
    const [record] = await organizationRecords(context, [organization]);
    return { status: 201, body: record };
  },
});
