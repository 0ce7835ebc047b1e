import { getBalance as readBalance } from '@holdfast/db/balances';
import type { z } from 'zod';
import { endpoint } from '../../context/endpoint.ts';
import { readSpendLimit } from '../../money/spendLimits.ts';
import { balanceRecord, LimitedBalanceRecord } from './balanceRecord.ts';

export const getBalance = endpoint({
  method: 'GET',
  path: '/v1/balance',
  operationId: 'getBalance',
  tag: 'Balance',
  summary: 'Read the balance',
  description: 'Returns the available, held and total amounts, and the monthly spend limit if there is one.',
  scope: 'balance',
  limit: 'other',
  responses: { 200: { description: 'The current balance', schema: LimitedBalanceRecord } },
  async handle({ context, caller }) {
    const [balance, spend_limit] = await Promise.all([
      readBalance(context.db, caller.organizationId),
      readSpendLimit(context, caller.organizationId),
    ]);
    const body: z.infer<typeof LimitedBalanceRecord> = {
      ...balanceRecord(balance ?? { available: '0', held: '0' }),
      spend_limit,
    };
    return { status: 200, body };
  },
});
