import { adminCommand } from '../admin/adminCommand.ts';
import { organization } from '../admin/records.ts';
import { printFacts } from '../output/print.ts';
import { organizationFacts } from './facts.ts';

export const orgCreate = adminCommand({
  name: 'org create',
  operands: ['name'],
  request: (admin, [name]) => admin.request('POST', '/organizations', { body: { name } }),
  show: (body, context) => printFacts(context, organizationFacts(organization.parse(body))),
});
