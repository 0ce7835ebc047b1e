import { type OveragePolicy, overagePolicies } from '@holdfast/domain/ledger';
import type { AdminApi } from '../admin/api.ts';
import { adminPath } from '../admin/path.ts';
import { organization } from '../admin/shapes.ts';
import { readAmount } from '../balance/amount.ts';
import type { Context } from '../command.ts';
import { readOperands } from '../flags.ts';
import { sayFacts, sayJson } from '../output/print.ts';
import { UsageError } from '../usageError.ts';
import { organizationFacts } from './facts.ts';

export async function orgLimit(args: string[], context: Context): Promise<number> {
  const { operands, values } = readOperands('org limit', args, ['org'], options);
  const { json, 'max-concurrency': most, 'monthly-spend': spend } = values;
  const change = {
    max_concurrency: most === undefined ? undefined : readConcurrency(most),
    overage: readPolicy('--overage', values.overage),
    spend_limit_overage: readPolicy('--spend-limit-overage', values['spend-limit-overage']),
  };
  const isChanged = Object.values(change).some((value) => value !== undefined);
  if (!isChanged && spend === undefined)
    throw new UsageError(
      'holdfast org limit needs --max-concurrency, --monthly-spend, --overage or --spend-limit-overage',
    );
  const amount = spend === undefined || spend === 'none' ? spend : readAmount('--monthly-spend', spend);
  const admin = context.openAdmin();
  const path = adminPath('organizations', operands[0]);
  if (isChanged) await admin.ask('PATCH', path, { body: change });
  if (amount !== undefined) await limitSpend(admin, path, amount);
  const answer = await admin.ask('GET', path);
  if (json) sayJson(context, answer);
  else sayFacts(context, organizationFacts(organization.parse(answer)));
  return 0;
}

const options = {
  'max-concurrency': { type: 'string' },
  'monthly-spend': { type: 'string' },
  overage: { type: 'string' },
  'spend-limit-overage': { type: 'string' },
  json: { type: 'boolean' },
} as const;

function readConcurrency(text: string): number | null {
  if (text === 'none') return null;
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  throw new UsageError('--max-concurrency needs a number from 1, or none');
}

/** Null: the platform's. */
function readPolicy(flag: string, text: string | undefined): OveragePolicy | null | undefined {
  if (text === undefined || text === 'default') return text && null;
  const policy = overagePolicies.find((one) => one === text);
  if (policy) return policy;
  throw new UsageError(`${flag} needs ${overagePolicies.join(', ')} or default`);
}

async function limitSpend(admin: AdminApi, path: string, amount: string): Promise<void> {
  if (amount === 'none') await admin.ask('DELETE', `${path}/spend-limit`);
  else await admin.ask('PUT', `${path}/spend-limit`, { body: { amount } });
}
