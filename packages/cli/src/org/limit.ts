import type { AdminApi } from '../admin/api.ts';
import { adminPath } from '../admin/path.ts';
import { organization } from '../admin/shapes.ts';
import { readAmount } from '../balance/amount.ts';
import type { Command } from '../command.ts';
import { readOperands } from '../flags.ts';
import { sayFacts, sayJson } from '../output/print.ts';
import { UsageError } from '../usageError.ts';
import { organizationFacts } from './facts.ts';

export const orgLimit: Command = {
  name: 'org limit',
  about: `limit how many executions of an organization run at once, or what it may spend in a month (UTC);
none takes the limit away. What is not given stays as it is.`,
  usage: 'holdfast org limit <org> [--max-concurrency N|none] [--monthly-spend AMOUNT|none] [--json]',
  examples: 'holdfast org limit org_… --max-concurrency 20\nholdfast org limit org_… --monthly-spend none',
  async run(args, context) {
    const { operands, values } = readOperands('org limit', args, ['org'], options);
    const { json, 'max-concurrency': most, 'monthly-spend': spend } = values;
    if (most === undefined && spend === undefined)
      throw new UsageError('holdfast org limit needs --max-concurrency or --monthly-spend');
    const amount = spend === undefined || spend === 'none' ? spend : readAmount('--monthly-spend', spend);
    const concurrency = most === undefined ? undefined : readConcurrency(most);
    const admin = context.openAdmin();
    const path = adminPath('organizations', operands[0]);
    if (concurrency !== undefined) await admin.ask('PATCH', path, { body: { max_concurrency: concurrency } });
    if (amount !== undefined) await limitSpend(admin, path, amount);
    const answer = await admin.ask('GET', path);
    if (json) sayJson(context, answer);
    else sayFacts(context, organizationFacts(organization.parse(answer)));
    return 0;
  },
};

const options = {
  'max-concurrency': { type: 'string' },
  'monthly-spend': { type: 'string' },
  json: { type: 'boolean' },
} as const;

function readConcurrency(text: string): number | null {
  if (text === 'none') return null;
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  throw new UsageError('--max-concurrency needs a number from 1, or none');
}

async function limitSpend(admin: AdminApi, path: string, amount: string): Promise<void> {
  if (amount === 'none') await admin.ask('DELETE', `${path}/spend-limit`);
  else await admin.ask('PUT', `${path}/spend-limit`, { body: { amount } });
}
