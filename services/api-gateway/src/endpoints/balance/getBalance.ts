import { getBalance as readBalance } from '@holdfast/db/balances/get';
import { endpoint } from '../../http/endpoint.ts';
import { BalanceRecord, balanceRecord } from './balanceRecord.ts';

export const getBalance = endpoint({
  method: 'GET',
  path: '/v1/balance',
  tag: 'Balance',
  summary: 'Read the balance',
  permission: 'full',
  limit: 'other',
  responses: { 200: { description: 'The balance now', schema: BalanceRecord } },
  async handle({ context, caller }) {
    const balance = await readBalance(context.db, caller.organizationId);
    return { status: 200, body: balanceRecord(balance ?? { available: '0', held: '0' }) };
  },
});
