import { UsageError } from '@holdfast/kit/flags';
import { z } from 'zod';
import { adminPath } from '../admin/api.ts';
import { spendLimit } from '../admin/records.ts';
import type { Context } from '../command.ts';
import { readOperands } from '../flags.ts';
import { spendText } from '../org/facts.ts';
import { limitSpend, readSpend } from '../org/limit.ts';
import { printFacts, printJson } from '../output/print.ts';

export async function keyLimit(args: string[], context: Context): Promise<number> {
  const { operands, values } = readOperands('key limit', args, ['org', 'key'], options);
  const [org, key] = operands;
  const spend = values['monthly-spend'];
  if (spend === undefined) throw new UsageError('holdfast key limit needs --monthly-spend');
  const amount = readSpend(spend);
  const response = await limitSpend(
    context.openAdmin(),
    adminPath('organizations', org, 'api-keys', key),
    amount,
  );
  if (values.json) printJson(context, response);
  else printFacts(context, { key, 'monthly spend': spendText(limited.parse(response).spend_limit) });
  return 0;
}

const options = { 'monthly-spend': { type: 'string' }, json: { type: 'boolean' } } as const;

const limited = z.looseObject({ spend_limit: spendLimit });
