import { type OveragePolicy, overagePolicies } from '@holdfast/domain/ledger';
import { UsageError, wholeNumber } from '@holdfast/kit/flags';
import { type AdminApi, adminPath } from '../admin/api.ts';
import { organization } from '../admin/records.ts';
import { readAmount } from '../balance/adjust.ts';
import type { Context } from '../command.ts';
import { readOperands } from '../flags.ts';
import { printFacts, printJson } from '../output/print.ts';
import { organizationFacts } from './facts.ts';

export async function orgLimit(args: string[], context: Context): Promise<number> {
  const { operands, values } = readOperands('org limit', args, ['org'], options);
  const { json, 'max-concurrency': concurrency, 'monthly-spend': spend } = values;
  const change = {
    max_concurrency: concurrency === undefined ? undefined : readConcurrency(concurrency),
    overage: readPolicy('--overage', values.overage),
    spend_limit_overage: readPolicy('--spend-limit-overage', values['spend-limit-overage']),
  };
  const isChanged = Object.values(change).some((value) => value !== undefined);
  if (!isChanged && spend === undefined)
    throw new UsageError(
      'holdfast org limit needs --max-concurrency, --monthly-spend, --overage or --spend-limit-overage',
    );
  const amount = spend === undefined ? spend : readSpend(spend);
  const admin = context.openAdmin();
  const path = adminPath('organizations', operands[0]);
  if (isChanged) await admin.request('PATCH', path, { body: change });
  if (amount !== undefined) await limitSpend(admin, path, amount);
  const response = await admin.request('GET', path);
  if (json) printJson(context, response);
  else printFacts(context, organizationFacts(organization.parse(response)));
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
  return wholeNumber('--max-concurrency', text, { max: 9_999_999 });
}

/** Null: the platform's default. */
function readPolicy(flag: string, text: string | undefined): OveragePolicy | null | undefined {
  if (text === undefined || text === 'default') return text && null;
  const policy = overagePolicies.find((one) => one === text);
  if (policy) return policy;
  throw new UsageError(`${flag} needs ${overagePolicies.join(', ')} or default`);
}

/** An amount, or `none`. @throws UsageError */
export const readSpend = (text: string): string =>
  text === 'none' ? text : readAmount('--monthly-spend', text);

/** `path` names the organization or API key. */
export async function limitSpend(admin: AdminApi, path: string, amount: string): Promise<unknown> {
  if (amount === 'none') return await admin.request('DELETE', `${path}/spend-limit`);
  return await admin.request('PUT', `${path}/spend-limit`, { body: { amount } });
}
