import type { z } from 'zod';
import { adminPath, readList } from '../admin/api.ts';
import { apiKey } from '../admin/records.ts';
import type { Context } from '../command.ts';
import { readOperands } from '../flags.ts';
import { spendText } from '../org/facts.ts';
import { printJson, printTable } from '../output/print.ts';
import { shownAge, shownTime } from '../output/times.ts';

export async function keyList(args: string[], context: Context): Promise<number> {
  const { operands, values } = readOperands('key list', args, ['org'], { json: { type: 'boolean' } });
  const path = adminPath('organizations', operands[0], 'api-keys');
  const list = await readList(context.openAdmin(), path, { limit: 10_000, item: apiKey });
  if (values.json) printJson(context, list);
  else
    printTable(
      context,
      list.data,
      {
        NAME: ({ name }) => name,
        STATUS: statusOf,
        MODE: ({ mode }) => mode,
        'MONTHLY SPEND': (one) => spendText(one.spend_limit),
        AGE: (one) => shownAge(one.created_at),
        'EXPIRES (UTC)': (one) => shownTime(one.expires_at).slice(0, 10),
        SCOPES: ({ permissions, scopes }) => (permissions === 'full' ? 'all' : scopes.join(' ')),
      },
      { ID: ({ id }) => id, PREFIX: ({ prefix }) => prefix, 'LIMITED TO': limitsOf },
    );
  return 0;
}

/** `models sandbox-text; addresses 203.0.113.0/24`; empty without limits. */
function limitsOf({ models, addresses }: z.infer<typeof apiKey>): string {
  return Object.entries({ models, addresses })
    .flatMap(([name, allowed]) => (allowed.length === 0 ? [] : `${name} ${allowed.join(' ')}`))
    .join('; ');
}

function statusOf({ revoked_at: revoked, expires_at: expires }: z.infer<typeof apiKey>): string {
  if (revoked !== null) return 'revoked';
  return expires !== null && Date.parse(expires) <= Date.now() ? 'expired' : 'active';
}
