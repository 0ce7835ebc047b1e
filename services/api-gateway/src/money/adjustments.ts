import { getBalance } from '@holdfast/db/balances';
import { timeFromNow } from '@holdfast/db/statement';
import { ApiError } from '@holdfast/domain/errors';
import { newId } from '@holdfast/domain/ids';
import { formatMoney, type Money, MoneyDecimal } from '@holdfast/domain/money';
import { type AdjustResult, adjustResult } from '@holdfast/queues/definitions';
import { z } from 'zod';
import { findOrganization } from '../admin/organizations.ts';
import type { Context } from '../context.ts';
import { BalanceRecord, balanceRecord } from '../endpoints/balance/balanceRecord.ts';
import { readIdempotencyKey } from '../executions/idempotencyKey.ts';
import type { Reply } from '../http/endpoint.ts';
import { idField, notFound, timestamp } from '../http/fields.ts';
import { amount } from './amounts.ts';

type Adjustment = {
  organizationId: string;
  kind: 'top_up' | 'correction';
  amount: Money;
  reason: string | null;
  /** Null: a new one is generated, so that a job that runs twice still adds once. */
  idempotencyKey: string | null;
};

type Added = Extract<AdjustResult, { outcome: 'added' }>;

const replyTimeoutMs = 10_000;
/** Shorter than the reply timeout: an adjustment reported as failed must not be applied later. */
const applyTimeoutMs = 9000;

export const AdjustmentRecord = z
  .object({
    organization_id: idField('org'),
    amount: amount('The amount that was added; below 0 when a correction reduced the balance'),
    reason: z.string().nullable(),
    available_after: amount('The available balance right after the adjustment'),
    created_at: timestamp('When it was added'),
    balance: BalanceRecord,
  })
  .meta({ id: 'Adjustment' });

/**
 * The reply to a top-up or correction: 201 with the transfer and the current balance. A replay returns the original transfer
 * with `Idempotent-Replayed`. @throws ApiError as `adjust` does
 */
export async function replyWithAdjustment(
  context: Context,
  request: {
    id: string;
    kind: 'top_up' | 'correction';
    amount: Money;
    reason: string | null;
    idempotencyKey: string | string[] | undefined;
  },
): Promise<Reply> {
  const { kind, amount, reason } = request;
  const idempotencyKey = readIdempotencyKey(request.idempotencyKey, false);
  const { id: organizationId } = await findOrganization(context, request.id);
  const { transfer, isReplay } = await adjust(context, {
    organizationId,
    kind,
    amount,
    reason,
    idempotencyKey,
  });
  const balance = await getBalance(context.db, organizationId);
  const record: z.infer<typeof AdjustmentRecord> = {
    organization_id: organizationId,
    amount: formatMoney(transfer.amount),
    reason: transfer.reason,
    available_after: formatMoney(transfer.availableAfter),
    created_at: transfer.createdAt.toISOString(),
    balance: balanceRecord(balance ?? { available: '0', held: '0' }),
  };
  return { status: 201, body: record, ...(isReplay && { headers: { 'Idempotent-Replayed': 'true' } }) };
}

/**
 * Has the ledger service write a top-up or a correction, because the gateway's database role cannot.
 * @throws ApiError NOT_FOUND, INSUFFICIENT_BALANCE, IDEMPOTENCY_KEY_REUSED, SERVICE_UNAVAILABLE
 */
export async function adjust(context: Context, adjustment: Adjustment): Promise<Added> {
  const idempotencyKey = adjustment.idempotencyKey ?? newId('req');
  const result = await requestAdjustment(context, { ...adjustment, idempotencyKey });
  if (result.outcome === 'no organization') throw notFound('organization');
  if (result.outcome === 'too late') throw ledgerTimeout(idempotencyKey);
  if (result.outcome === 'insufficient') {
    const message = `The available balance of ${formatMoney(result.available)} does not cover the correction.`;
    throw new ApiError('INSUFFICIENT_BALANCE', message);
  }
  requireSameTransfer(adjustment, result.transfer);
  return result;
}

async function requestAdjustment(
  { db, adjustments, log }: Context,
  adjustment: Adjustment & { idempotencyKey: string },
): Promise<AdjustResult> {
  const requestId = newId('req');
  const until = await timeFromNow(db, applyTimeoutMs);
  try {
    return adjustResult.parse(await adjustments.request({ requestId, ...adjustment, until }, replyTimeoutMs));
  } catch (error) {
    const { organizationId } = adjustment;
    log.warn({ err: error, organizationId }, 'the ledger did not respond to an adjustment');
    throw ledgerTimeout(adjustment.idempotencyKey);
  }
}

function ledgerTimeout(idempotencyKey: string): ApiError {
  const message =
    'The ledger did not respond in time; the amount may or may not have been added. Send the request again with the ' +
    `header "Idempotency-Key: ${idempotencyKey}" so that it is added only once.`;
  return new ApiError('SERVICE_UNAVAILABLE', message, { headers: { 'Retry-After': '2' } });
}

function requireSameTransfer(
  adjustment: Adjustment,
  { kind, amount, reason }: Pick<Adjustment, 'kind' | 'amount' | 'reason'>,
): void {
  const isSameMove = kind === adjustment.kind && new MoneyDecimal(amount).eq(adjustment.amount);
  if (isSameMove && reason === adjustment.reason) return;
  const original = `a ${kind === 'top_up' ? 'top-up' : 'correction'} of ${formatMoney(amount)}`;
  throw new ApiError(
    'IDEMPOTENCY_KEY_REUSED',
    `This Idempotency-Key was already used for ${original}${isSameMove ? ' with another reason' : ''}.`,
  );
}
