import { z } from 'zod';
import { adminPath } from '../admin/api.ts';
import { apiKey } from '../admin/records.ts';
import type { Context } from '../command.ts';
import { readOperands } from '../flags.ts';
import { printFacts, printJson } from '../output/print.ts';
import { shownTime, untilTime } from '../output/times.ts';

const options = {
  json: { type: 'boolean' },
  permissions: { type: 'string' },
  mode: { type: 'string' },
  scopes: { type: 'string' },
  expires: { type: 'string' },
  models: { type: 'string' },
  addresses: { type: 'string' },
} as const;

export async function keyCreate(args: string[], context: Context): Promise<number> {
  const { operands, values } = readOperands('key create', args, ['org', 'name'], options);
  const [org, name] = operands;
  const path = adminPath('organizations', org, 'api-keys');
  const body = {
    name,
    mode: values.mode,
    permissions: values.permissions,
    scopes: listOf(values.scopes),
    expires_at: untilTime(values.expires),
    models: listOf(values.models),
    addresses: listOf(values.addresses),
  };
  const response = await context.openAdmin().request('POST', path, { body });
  if (values.json) {
    printJson(context, response);
    return 0;
  }
  const key = apiKey.extend({ key: z.string() }).parse(response);
  printFacts(context, { id: key.id, name: key.name, mode: key.mode, ...keyLimits(key), key: key.key });
  context.report('Save the key now: it is not shown again.');
  return 0;
}

const listOf = (text: string | undefined) => text?.split(',').map((one) => one.trim());

/** The limits of a key, by name. */
function keyLimits({ scopes, expires_at, models, addresses }: z.infer<typeof apiKey>) {
  return {
    scopes: scopes.join(' '),
    expires: expires_at === null ? 'never' : shownTime(expires_at),
    models: models.join(' ') || 'all',
    addresses: addresses.join(' ') || 'all',
  };
}
