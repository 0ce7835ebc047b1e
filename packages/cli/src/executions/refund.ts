import { adminPath } from '../admin/api.ts';
import { refund } from '../admin/records.ts';
import { newKey, readAmount } from '../balance/adjust.ts';
import type { Context } from '../command.ts';
import { readOperands } from '../flags.ts';
import { printJson } from '../output/print.ts';

const options = {
  amount: { type: 'string' },
  reason: { type: 'string' },
  'idempotency-key': { type: 'string' },
  json: { type: 'boolean' },
} as const;

export async function executionsRefund(args: string[], context: Context): Promise<number> {
  const { operands, values } = readOperands('executions refund', args, ['execution'], options);
  const { amount, reason, json } = values;
  const body = {
    ...(amount !== undefined && { amount: readAmount('holdfast executions refund', amount) }),
    ...(reason && { reason }),
  };
  const key = values['idempotency-key'] ?? newKey(context);
  let isReplay = false;
  const reply = await context.openAdmin().request('POST', adminPath('executions', operands[0], 'refund'), {
    body,
    headers: { 'idempotency-key': key },
    onReplay: () => {
      isReplay = true;
    },
  });
  const refunded = refund.parse(reply);
  const { execution_id: id, amount: returned, organization_id: organization, balance } = refunded;
  if (json) printJson(context, { ...refunded, replayed: isReplay });
  else {
    const what = `${returned} ${balance.currency} ${isReplay ? 'was already' : 'is'} refunded`;
    context.print(`${id}: ${what}; ${organization} now has ${balance.available} available`);
  }
  return 0;
}
