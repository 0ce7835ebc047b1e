import { randomUUID } from 'node:crypto';
import { adminPath } from '../admin/path.ts';
import { adjustment } from '../admin/shapes.ts';
import type { Command, Context } from '../command.ts';
import { readOperands } from '../flags.ts';
import { sayJson, sayLine } from '../output/print.ts';
import { UsageError } from '../usageError.ts';

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
  async run(args, context) {
    // A negative amount is no flag.
    const amounts = args.filter((one) => /^-\d[\d.]*$/.test(one));
    const others = args.filter((one) => !amounts.includes(one));
    return await adjust('correct', 'corrections', [...others, '--', ...amounts], context);
  },
};

async function adjust(name: string, path: string, args: string[], context: Context): Promise<number> {
  const { operands, values } = readOperands(name, args, ['org', 'amount'], options);
  const [org, amount] = operands;
  const { reason, json, 'idempotency-key': key = `cli-${randomUUID()}` } = values;
  if (name === 'correct' && reason === undefined) throw new UsageError('holdfast correct needs --reason');
  const asked = { body: { amount, reason }, headers: { 'idempotency-key': key } };
  const answer = await context
    .openAdmin()
    .ask('POST', adminPath('organizations', org, path), asked)
    .catch((error: unknown) => {
      // It may have been done all the same: under this key it is done once.
      context.tell(`holdfast: to try again: the same, with --idempotency-key ${key}`);
      throw error;
    });
  if (json) sayJson(context, answer);
  else {
    const { amount: moved, organization_id: id, balance } = adjustment.parse(answer);
    const { available, held, currency } = balance;
    sayLine(context, `${id}: ${moved} ${currency}; now ${available} available, ${held} held`);
  }
  return 0;
}
