import { Decimal } from 'decimal.js';
import { limits } from './limits.ts';

/** An exact amount as a decimal string, e.g. `"0.012"`: 16 digits before the point and 8 after at most. */
export type Money = string;

/** Decimal arithmetic wide enough that no sum of amounts is ever rounded. */
export const MoneyDecimal = Decimal.clone({
  precision: 60,
  rounding: Decimal.ROUND_UP,
  toExpNeg: -30,
  toExpPos: 40,
});

const shape = /^\d{1,16}(\.\d{1,8})?$/;

/** Whether `value` is a non-negative amount: plain digits, at most 8 decimals. */
export function isMoney(value: string): value is Money {
  return shape.test(value);
}

/** Rounded up to 8 decimals, the ledger's scale. */
export function toMoney(value: Decimal.Value): Money {
  return new MoneyDecimal(value).toDecimalPlaces(8, Decimal.ROUND_UP).toFixed();
}

/** As the API shows it: two decimals at least, eight at most, e.g. `"0.60"`, `"0.012"`. */
export function formatMoney(value: Decimal.Value): string {
  const amount = new MoneyDecimal(value);
  return amount.toFixed(Math.max(2, Math.min(8, amount.decimalPlaces())));
}

/** Spec, "Limits": estimated cost times 1.2, minimum 0.01. */
export function holdFor(estimate: Money): Money {
  return toMoney(MoneyDecimal.max(new MoneyDecimal(estimate).times(limits.holdFactor), limits.minimumHold));
}
