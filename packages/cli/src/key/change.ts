import { z } from 'zod';
import { adminCommand } from '../admin/adminCommand.ts';
import { adminPath } from '../admin/api.ts';
import { printFacts } from '../output/print.ts';
import { shownTime } from '../output/times.ts';

export const keyRevoke = adminCommand({
  name: 'key revoke',
  operands: ['org', 'key'],
  request: (admin, [org, key]) => admin.request('DELETE', adminPath('organizations', org, 'api-keys', key)),
  show: (_body, { print }, [, key]) => print(`${key} is revoked.`),
});

const rotated = z.looseObject({
  id: z.string(),
  name: z.string(),
  new_key: z.string(),
  previous_key_valid_until: z.string(),
});

export const keyRotate = adminCommand({
  name: 'key rotate',
  operands: ['org', 'key'],
  request: (admin, [org, key]) =>
    admin.request('POST', adminPath('organizations', org, 'api-keys', key, 'rotate')),
  show(body, context) {
    const { id, name, new_key: key, previous_key_valid_until: until } = rotated.parse(body);
    printFacts(context, { id, name, key, 'old value until': shownTime(until) });
    context.report('Save the key now: it is not shown again.');
  },
});
