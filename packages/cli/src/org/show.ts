import { askCommand } from '../admin/askCommand.ts';
import { adminPath } from '../admin/path.ts';
import { balance, organization } from '../admin/shapes.ts';
import { sayFacts } from '../output/print.ts';
import { organizationFacts } from './facts.ts';

export const orgShow = askCommand({
  name: 'org show',
  operands: ['org'],
  ask: (admin, [org]) => admin.ask('GET', adminPath('organizations', org)),
  show(answer, context) {
    const one = organization.extend({ balance }).parse(answer);
    const { available, held, total, currency } = one.balance;
    const money = { available: `${available} ${currency}`, held: `${held} ${currency}` };
    sayFacts(context, { ...organizationFacts(one), ...money, total: `${total} ${currency}` });
  },
});
