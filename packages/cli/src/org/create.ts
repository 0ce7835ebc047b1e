import { organization } from '../admin/shapes.ts';
import type { Command } from '../command.ts';
import { readOperands } from '../flags.ts';
import { sayFacts, sayJson } from '../output/print.ts';
import { organizationFacts } from './facts.ts';

export const orgCreate: Command = {
  name: 'org create',
  about: 'make an organization, with an empty balance',
  usage: 'holdfast org create <name> [--json]',
  examples: 'holdfast org create "Acme Inc."',
  async run(args, context) {
    const { operands, values } = readOperands('org create', args, ['name'], { json: { type: 'boolean' } });
    const [name] = operands;
    const answer = await context.openAdmin().ask('POST', '/organizations', { body: { name } });
    if (values.json) sayJson(context, answer);
    else sayFacts(context, organizationFacts(organization.parse(answer)));
    return 0;
  },
};
