import { z } from 'zod';
import { askCommand } from '../admin/askCommand.ts';
import { adminPath } from '../admin/path.ts';
import { sayFacts } from '../output/print.ts';
import { shownTime } from '../output/times.ts';

export const keyRevoke = askCommand({
  name: 'key revoke',
  operands: ['org', 'key'],
  ask: (admin, [org, key]) => admin.ask('DELETE', adminPath('organizations', org, 'api-keys', key)),
  show: (_answer, { say }, [, key]) => say(`${key} is revoked.`),
});

const rotated = z.looseObject({
  id: z.string(),
  name: z.string(),
  new_key: z.string(),
  previous_key_valid_until: z.string(),
});

export const keyRotate = askCommand({
  name: 'key rotate',
  operands: ['org', 'key'],
  ask: (admin, [org, key]) => admin.ask('POST', adminPath('organizations', org, 'api-keys', key, 'rotate')),
  show(answer, context) {
    const { id, name, new_key: key, previous_key_valid_until: until } = rotated.parse(answer);
    sayFacts(context, { id, name, key, 'old value until': shownTime(until) });
    context.tell('Keep it now: it is not shown again.');
  },
});
