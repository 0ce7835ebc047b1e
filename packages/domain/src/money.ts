import { Decimal } from 'decimal.js';
import { limits } from './limits.ts';

/** A decimal string such as `"0.012"`: up to 16 digits before the point and 8 after. */
export type Money = string;

/** Wide enough that no sum is ever rounded. */
export const MoneyDecimal = Decimal.clone({
  precision: 60,
  rounding: Decimal.ROUND_UP,
  toExpNeg: -30,
  toExpPos: 40,
});

const shape = /^\d{1,16}(\.\d{1,8})?$/;

export function isMoney(value: string): value is Money {
  return shape.test(value);
}

export function toMoney(value: Decimal.Value): Money {
  return new MoneyDecimal(value).toDecimalPlaces(8, Decimal.ROUND_UP).toFixed();
}

/** Most executions of a model cost the same, and decimals take 5 KB a create. */
const maxKnownAmounts = 1000;

function remembered(compute: (amount: Money) => string): (amount: Money) => string {
  const results = new Map<Money, string>();
  return (amount) => {
    const known = results.get(amount);
    if (known !== undefined) return known;
    if (results.size === maxKnownAmounts) results.clear();
    const result = compute(amount);
    results.set(amount, result);
    return result;
  };
}

/** For the API: two to eight decimals, such as `"0.60"`. */
export function formatMoney(value: Decimal.Value): string {
  return typeof value === 'string' ? formatAmount(value) : format(value);
}

function format(value: Decimal.Value): string {
  const amount = new MoneyDecimal(value);
  return amount.toFixed(Math.max(2, Math.min(8, amount.decimalPlaces())));
}

const formatAmount = remembered(format);

/** Contract 5.1: estimated cost times 1.2, minimum 0.01. */
export const holdFor: (estimate: Money) => Money = remembered((estimate) =>
  toMoney(MoneyDecimal.max(new MoneyDecimal(estimate).times(limits.holdFactor), limits.minimumHold)),
);
