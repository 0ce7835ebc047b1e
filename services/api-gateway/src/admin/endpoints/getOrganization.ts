import { getBalance } from '@holdfast/db/balances';
import { BalanceRecord, balanceRecord } from '../../api/balance/balanceRecord.ts';
import { keylessEndpoint } from '../../context/endpoint.ts';
import { idParams } from '../../http/fields.ts';
import { findOrganization, OrganizationRecord, organizationRecords } from '../organizations.ts';

export const getOrganization = keylessEndpoint({
  method: 'GET',
  path: '/admin/v1/organizations/{id}',
  tag: 'Organizations',
  summary: 'Read an organization and its balance',
  access: 'operator',
  limit: 'other',
  params: idParams('org', 'id'),
  responses: {
    200: {
      description: 'The organization',
      schema: OrganizationRecord.extend({ balance: BalanceRecord }).meta({ id: 'OrganizationWithBalance' }),
    },
  },
  async handle({ context, params }) {
    const organization = await findOrganization(context, params.id);
    const [balance, [record]] = await Promise.all([
      getBalance(context.db, organization.id),
      organizationRecords(context, [organization]),
    ]);
    const body = {
      ...record,
      balance: balanceRecord(balance ?? { available: '0', held: '0' }),
    };
    return { status: 200, body };
  },
});
