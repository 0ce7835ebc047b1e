import { ApiError } from '@holdfast/domain/errors';
import { adjust } from '../admin/adjust.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../http/endpoint.ts';

/** More than tests hold at once. */
const amount = '1000000000';

/** No test is refused for lack of money: a test organization gets more, from the ledger, and `run` is tried again. */
export async function withTestMoney<Result>(
  context: Context,
  { organizationId, isTest }: Caller,
  run: () => Promise<Result>,
): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (!isTest || !(error instanceof ApiError) || error.code !== 'INSUFFICIENT_BALANCE') throw error;
  }
  await adjust(context, {
    organizationId,
    kind: 'top_up',
    amount,
    reason: 'test money',
    idempotencyKey: null,
  });
  return await run();
}
