import { randomUUID } from 'node:crypto';
import { adminPath } from '../admin/path.ts';
import { adjustment } from '../admin/shapes.ts';
import type { Command, Context } from '../command.ts';
import { readOperands } from '../flags.ts';
import { sayJson, sayLine } from '../output/print.ts';
import { UsageError } from '../usageError.ts';
import { readAmount } from './amount.ts';

const options = {
  reason: { type: 'string' },
  'idempotency-key': { type: 'string' },
  json: { type: 'boolean' },
} as const;

export const topup: Command = {
  name: 'topup',
  about: 'add to the balance of an organization, once under its idempotency key however often it is sent',
  usage: 'holdfast topup <org> <amount> [--reason TEXT] [--idempotency-key KEY] [--json]',
  examples: 'holdfast topup org_… 25.00 --idempotency-key invoice-7',
  run: (args, context) => adjust('topup', 'top-ups', args, context),
};

export const correct: Command = {
  name: 'correct',
  about: `correct the balance of an organization: an amount below 0 takes from what is available, never more than that.
Done once under its idempotency key however often it is sent.`,
  usage: 'holdfast correct <org> <amount> --reason TEXT [--idempotency-key KEY] [--json]',
  examples: 'holdfast correct org_… -3.50 --reason "twice billed" --idempotency-key ticket-12',
  run: (args, context) => adjust('correct', 'corrections', args, context),
};

async function adjust(name: string, path: string, args: string[], context: Context): Promise<number> {
  // A negative amount is no flag.
  const amounts = args.filter((one) => /^-\.?\d/.test(one));
  const others = args.filter((one) => !amounts.includes(one));
  const { operands, values } = readOperands(name, [...others, '--', ...amounts], ['org', 'amount'], options);
  const isSigned = name === 'correct';
  const [org] = operands;
  const amount = readAmount(`holdfast ${name}`, operands[1], { isSigned });
  const { reason, json, 'idempotency-key': key = newKey(context) } = values;
  if (isSigned && !reason) throw new UsageError('holdfast correct needs --reason');
  const asked = { body: { amount, reason }, headers: { 'idempotency-key': key } };
  const answer = await context.openAdmin().ask('POST', adminPath('organizations', org, path), asked);
  if (json) sayJson(context, answer);
  else {
    const { amount: moved, organization_id: id, balance } = adjustment.parse(answer);
    const { available, held, currency } = balance;
    sayLine(context, `${id}: ${moved} ${currency}; now ${available} available, ${held} held`);
  }
  return 0;
}

/** Told before it is sent: whoever gets no answer can send it again, and it is done once. */
function newKey({ tell }: Context): string {
  const key = `cli-${randomUUID()}`;
  tell(`holdfast: to send it again, if no answer comes: with --idempotency-key ${key}`);
  return key;
}
