import { adjustBalance } from '@holdfast/db/balances';
import fc from 'fast-check';
import { money, units } from '../amounts.ts';
import { type Command, organization, which } from '../command.ts';
import { accountOf } from '../model.ts';
import { ledger, organizationId, type Which } from '../run.ts';

type Amount = { kind: 'top_up' | 'correction'; amount: string };

const amounts: Amount[] = [
  { kind: 'top_up', amount: '0.00000001' },
  { kind: 'top_up', amount: '12.5' },
  { kind: 'top_up', amount: '70' },
  { kind: 'correction', amount: '3.33333333' },
  { kind: 'correction', amount: '-0.00000001' },
  { kind: 'correction', amount: '-30' },
];

/** A top-up or a correction with a new or a used key. */
export const adjust: Command<{
  by: Which;
  organization: number;
  idempotencyKey: string | null;
  adjustment: Amount;
}> = {
  args: fc.record({
    by: which,
    organization,
    idempotencyKey: fc.constantFrom(null, null, 'a', 'b'),
    adjustment: fc.constantFrom(...amounts),
  }),
  expect(model, { organization: at, idempotencyKey, adjustment: { kind, amount } }) {
    const account = accountOf(model, at);
    const known = idempotencyKey === null ? undefined : account.adjusted.get(idempotencyKey);
    if (known) return known;
    const after = account.available + units(amount);
    if (units(amount) < 0n && after < 0n) return 'insufficient';
    account.available = after;
    const response = `${kind} ${money(units(amount))} leaves ${money(after)}`;
    if (idempotencyKey !== null) account.adjusted.set(idempotencyKey, response);
    return response;
  },
  async perform(run, { by, organization: at, idempotencyKey, adjustment }) {
    const asker = { organizationId: organizationId(run, at), idempotencyKey, reason: 'a reason' };
    const result = await adjustBalance(ledger(run, by).db, { ...asker, ...adjustment });
    if (result.outcome !== 'added') return result.outcome;
    const { sequence, kind, amount, availableAfter } = result.transfer;
    run.adjusted.set(`${asker.organizationId} ${sequence}`, { organizationId: asker.organizationId, amount });
    return `${kind} ${amount} leaves ${availableAfter}`;
  },
};
