import { limits } from '@holdfast/domain/limits';
import { isMoney, MoneyDecimal } from '@holdfast/domain/money';
import type { RecordedOutcome } from '@holdfast/domain/outcome';

const maxInt4 = 2_147_483_647;

/**
 * The outcome, such that the ledger is sure to be able to settle it: one that could be neither written nor read again
 * would be tried for ever, and its hold never resolved. A success that can't be kept or priced is a failure.
 */
export function storableOutcome(outcome: RecordedOutcome): RecordedOutcome {
  if (!outcome.ok) return { ...outcome, message: outcome.message.slice(0, limits.errorMessageLength) };
  if (!isStorable(outcome.output)) return failed('The output of the model is too large to be stored.');
  if (!isCharge(outcome.cost)) return failed('The model gave no usable account of what it consumed.');
  return {
    ...outcome,
    inputTokens: Math.min(outcome.inputTokens, maxInt4),
    outputTokens: Math.min(outcome.outputTokens, maxInt4),
  };
}

function failed(message: string): RecordedOutcome {
  return { ok: false, code: 'GENERATION_FAILED', message };
}

function isCharge(cost: string): boolean {
  return isMoney(cost) && new MoneyDecimal(cost).lte(limits.maxCost);
}

function isStorable(output: unknown): boolean {
  return !isDeeperThan(limits.jsonDepth, output) && JSON.stringify(output).length <= limits.outputLength;
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (value === null || typeof value !== 'object') return false;
  return levels === 0 || Object.values(value).some((one) => isDeeperThan(levels - 1, one));
}
