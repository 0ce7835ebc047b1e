import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import { adminPath } from '../admin/path.ts';
import { adjustment } from '../admin/shapes.ts';
import type { Context } from '../command.ts';
import { readOperands } from '../flags.ts';
import { sayJson } from '../output/print.ts';
import { shownTime } from '../output/times.ts';
import { UsageError } from '../usageError.ts';
import { readAmount } from './amount.ts';

const options = {
  reason: { type: 'string' },
  'idempotency-key': { type: 'string' },
  json: { type: 'boolean' },
} as const;

export const topup = (args: string[], context: Context): Promise<number> =>
  adjust('topup', 'top-ups', args, context);

export const correct = (args: string[], context: Context): Promise<number> =>
  adjust('correct', 'corrections', args, context);

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
  let isReplay = false;
  const answer = await context.openAdmin().ask('POST', adminPath('organizations', org, path), {
    body: { amount, reason },
    headers: { 'idempotency-key': key },
    onReplay: () => {
      isReplay = true;
    },
  });
  const adjusted = adjustment.parse(answer);
  if (json) sayJson(context, { ...adjusted, replayed: isReplay });
  else context.say(textOf(adjusted, isReplay));
  return 0;
}

function textOf(one: z.infer<typeof adjustment>, isReplay: boolean): string {
  const { available, held, currency } = one.balance;
  const done = isReplay
    ? `already done on ${shownTime(one.created_at)} UTC under this idempotency key, nothing changed`
    : `${one.amount} ${currency}`;
  return `${one.organization_id}: ${done}; now ${available} available, ${held} held`;
}

/** Shown before it is sent: an operator who gets no response can send it again, and it is done once. */
function newKey({ tell }: Context): string {
  const key = `cli-${randomUUID()}`;
  tell(`holdfast: if there is no response, send it again with --idempotency-key ${key}`);
  return key;
}
