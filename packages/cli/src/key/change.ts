import { z } from 'zod';
import type { Command } from '../command.ts';
import { readOperands } from '../flags.ts';
import { sayFacts, sayJson } from '../output/print.ts';
import { shownTime } from '../output/times.ts';

const pathOf = (org: string, key: string) =>
  `/organizations/${encodeURIComponent(org)}/api-keys/${encodeURIComponent(key)}`;

export const keyRevoke: Command = {
  name: 'key revoke',
  about: 'revoke an API key: every value of it stops working within 5 seconds, for good',
  usage: 'holdfast key revoke <org> <key> [--json]',
  async run(args, context) {
    const options = { json: { type: 'boolean' } } as const;
    const { operands, values } = readOperands('key revoke', args, ['org', 'key'], options);
    const answer = await context.openAdmin().ask('DELETE', pathOf(...operands));
    if (values.json) sayJson(context, answer);
    else context.say(`${operands[1]} is revoked.`);
    return 0;
  },
};

const rotated = z.looseObject({
  id: z.string(),
  name: z.string(),
  new_key: z.string(),
  previous_key_valid_until: z.string(),
});

export const keyRotate: Command = {
  name: 'key rotate',
  about: 'give an API key a new value, which is shown once, here; the old one works for another hour',
  usage: 'holdfast key rotate <org> <key> [--json]',
  async run(args, context) {
    const options = { json: { type: 'boolean' } } as const;
    const { operands, values } = readOperands('key rotate', args, ['org', 'key'], options);
    const answer = await context.openAdmin().ask('POST', `${pathOf(...operands)}/rotate`);
    if (values.json) {
      sayJson(context, answer);
      return 0;
    }
    const { id, name, new_key: key, previous_key_valid_until: until } = rotated.parse(answer);
    sayFacts(context, { id, name, key, 'old value until': shownTime(until) });
    context.tell('Keep it now: it is not shown again.');
    return 0;
  },
};
