import { randomUUID } from 'node:crypto';
import { isMoney } from '@holdfast/domain/money';
import { UsageError } from '@holdfast/kit/flags';
import type { z } from 'zod';
import { adminPath } from '../admin/api.ts';
import { adjustment } from '../admin/records.ts';
import type { Context } from '../command.ts';
import { readOperands } from '../flags.ts';
import { printJson } from '../output/print.ts';
import { shownTime } from '../output/times.ts';

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
  // A negative amount is not a flag, with or without `--` before it.
  const amounts = args.filter((one) => /^-\.?\d/.test(one));
  const others = args.filter((one) => one !== '--' && !amounts.includes(one));
  const { operands, values } = readOperands(name, [...others, '--', ...amounts], ['org', 'amount'], options);
  const isSigned = name === 'correct';
  const [org] = operands;
  const amount = readAmount(`holdfast ${name}`, operands[1], { isSigned });
  const { reason, json } = values;
  if (isSigned && !reason) throw new UsageError('holdfast correct needs --reason');
  const key = values['idempotency-key'] ?? newKey(context);
  let isReplay = false;
  const reply = await context.openAdmin().request('POST', adminPath('organizations', org, path), {
    body: { amount, reason },
    headers: { 'idempotency-key': key },
    onReplay: () => {
      isReplay = true;
    },
  });
  const adjusted = adjustment.parse(reply);
  if (json) printJson(context, { ...adjusted, replayed: isReplay });
  else context.print(textOf(adjusted, isReplay));
  return 0;
}

function textOf(one: z.infer<typeof adjustment>, isReplay: boolean): string {
  const { available, held, currency } = one.balance;
  const done = isReplay
    ? `already applied on ${shownTime(one.created_at)} under this idempotency key; nothing changed`
    : `${one.amount} ${currency}`;
  return `${one.organization_id}: ${done}; now ${available} available, ${held} held`;
}

/** Printed before the request: without a response the operator can safely repeat it. */
export function newKey({ report }: Context): string {
  const key = `cli-${randomUUID()}`;
  report(`holdfast: if there is no response, repeat the command with --idempotency-key ${key}`);
  return key;
}

/** An amount as it was typed; the admin API decides whether it is too large. @throws UsageError */
export function readAmount(name: string, text: string, { isSigned = false } = {}): string {
  if (isMoney(isSigned ? text.replace(/^-/, '') : text)) return text;
  const example = isSigned ? '25.00 or -3.50' : '25.00';
  throw new UsageError(`${name} needs an amount such as ${example}, with at most 8 decimals`);
}
