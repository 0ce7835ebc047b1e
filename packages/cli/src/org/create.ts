import { askCommand } from '../admin/askCommand.ts';
import { organization } from '../admin/shapes.ts';
import { sayFacts } from '../output/print.ts';
import { organizationFacts } from './facts.ts';

export const orgCreate = askCommand({
  name: 'org create',
  operands: ['name'],
  ask: (admin, [name]) => admin.ask('POST', '/organizations', { body: { name } }),
  show: (answer, context) => sayFacts(context, organizationFacts(organization.parse(answer))),
});
