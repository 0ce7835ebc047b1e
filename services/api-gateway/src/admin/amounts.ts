import { isMoney, MoneyDecimal } from '@holdfast/domain/money';
import { z } from 'zod';

/** Far from where a balance would no longer fit its column. */
const maxAmount = 1_000_000_000;

const outOfRange = (message: string) => ({ message, params: { code: 'OUT_OF_RANGE' } });

/** The amount of a top-up. */
export const positiveAmount = z
  .string()
  .refine(isMoney, 'must be a decimal in a string with at most 8 decimals, such as "25.00"')
  .refine(
    (value) => isMoney(value) && isWithin(value) && !isZero(value),
    outOfRange(`must be more than 0 and at most ${maxAmount}`),
  );

/** The amount of a correction: with a minus sign it takes from the balance. */
export const signedAmount = z
  .string()
  .refine(isSigned, 'must be a decimal in a string with at most 8 decimals, such as "-3.50"')
  .refine(
    (value) => isSigned(value) && isWithin(value) && !isZero(value),
    outOfRange(`must not be 0, and lie between -${maxAmount} and ${maxAmount}`),
  );

/** The amount of a limit: 0 allows nothing. */
export const limitAmount = z
  .string()
  .refine(isMoney, 'must be a decimal in a string with at most 8 decimals, such as "100.00"')
  .refine((value) => isMoney(value) && isWithin(value), outOfRange(`must be at most ${maxAmount}`));

function isSigned(value: string): boolean {
  return isMoney(value.replace(/^-/, ''));
}

function isZero(value: string): boolean {
  return new MoneyDecimal(value).isZero();
}

function isWithin(value: string): boolean {
  return new MoneyDecimal(value).abs().lte(maxAmount);
}
