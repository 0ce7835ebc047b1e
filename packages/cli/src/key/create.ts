import { z } from 'zod';
import { apiKey } from '../admin/shapes.ts';
import type { Command } from '../command.ts';
import { readOperands } from '../flags.ts';
import { sayFacts, sayJson } from '../output/print.ts';

export const keyCreate: Command = {
  name: 'key create',
  about: 'make an API key for an organization; its value is shown once, here',
  usage: 'holdfast key create <org> <name> [--permissions full|execution] [--json]',
  async run(args, context) {
    const options = { json: { type: 'boolean' }, permissions: { type: 'string' } } as const;
    const { operands, values } = readOperands('key create', args, ['org', 'name'], options);
    const [org, name] = operands;
    const { permissions } = values;
    const path = `/organizations/${encodeURIComponent(org)}/api-keys`;
    const answer = await context.openAdmin().ask('POST', path, { body: { name, permissions } });
    if (values.json) {
      sayJson(context, answer);
      return 0;
    }
    const key = apiKey.extend({ key: z.string() }).parse(answer);
    sayFacts(context, { id: key.id, name: key.name, permissions: key.permissions, key: key.key });
    context.tell('Keep it now: it is not shown again.');
    return 0;
  },
};
