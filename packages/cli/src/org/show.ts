import { balance, organization } from '../admin/shapes.ts';
import type { Command } from '../command.ts';
import { readOperands } from '../flags.ts';
import { sayFacts, sayJson } from '../output/print.ts';
import { organizationFacts } from './facts.ts';

export const orgShow: Command = {
  name: 'org show',
  about: 'show an organization, its balance and limits',
  usage: 'holdfast org show <org> [--json]',
  async run(args, context) {
    const { operands, values } = readOperands('org show', args, ['org'], { json: { type: 'boolean' } });
    const answer = await context.openAdmin().ask('GET', `/organizations/${encodeURIComponent(operands[0])}`);
    if (values.json) {
      sayJson(context, answer);
      return 0;
    }
    const one = organization.extend({ balance }).parse(answer);
    const { available, held, total, currency } = one.balance;
    const money = { available: `${available} ${currency}`, held: `${held} ${currency}` };
    sayFacts(context, { ...organizationFacts(one), ...money, total: `${total} ${currency}` });
    return 0;
  },
};
