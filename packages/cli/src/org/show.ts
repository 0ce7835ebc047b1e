import { adminCommand } from '../admin/adminCommand.ts';
import { adminPath } from '../admin/api.ts';
import { balance, organization } from '../admin/records.ts';
import { printFacts } from '../output/print.ts';
import { organizationFacts } from './facts.ts';

export const orgShow = adminCommand({
  name: 'org show',
  operands: ['org'],
  request: (admin, [org]) => admin.request('GET', adminPath('organizations', org)),
  show(body, context) {
    const one = organization.extend({ balance }).parse(body);
    const { available, held, total, currency } = one.balance;
    const money = { available: `${available} ${currency}`, held: `${held} ${currency}` };
    printFacts(context, { ...organizationFacts(one), ...money, total: `${total} ${currency}` });
  },
});
