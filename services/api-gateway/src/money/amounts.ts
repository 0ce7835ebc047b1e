import { isMoney, MoneyDecimal } from '@holdfast/domain/money';
import { z } from 'zod';

/** Well below what the balance column can hold. */
const maxAmount = 1_000_000_000;

const outOfRange = (message: string) => ({ message, params: { code: 'OUT_OF_RANGE' } });

export const positiveAmount = z
  .string()
  .refine(isMoney, 'must be a decimal string with at most 8 decimal places, such as "25.00"')
  .refine(
    (value) => isMoney(value) && isWithin(value) && !isZero(value),
    outOfRange(`must be more than 0 and at most ${maxAmount}`),
  );

/** The amount of a correction; below 0 it reduces the balance. */
export const signedAmount = z
  .string()
  .refine(isSigned, 'must be a decimal string with at most 8 decimal places, such as "-3.50"')
  .refine(
    (value) => isSigned(value) && isWithin(value) && !isZero(value),
    outOfRange(`must be between -${maxAmount} and ${maxAmount}, and not 0`),
  );

/** The amount of a spend limit; 0 allows no spending. */
export const limitAmount = z
  .string()
  .refine(isMoney, 'must be a decimal string with at most 8 decimal places, such as "100.00"')
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
