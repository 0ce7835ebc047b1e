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

/** For the API: two to eight decimals, such as `"0.60"`. */
export function formatMoney(value: Decimal.Value): string {
  const amount = new MoneyDecimal(value);
  return amount.toFixed(Math.max(2, Math.min(8, amount.decimalPlaces())));
}

/** Most executions of a model cost the same, and decimals take 5 KB a create. */
const maxKnownHolds = 1000;
const knownHolds = new Map<Money, Money>();

/** Spec, "Limits": estimated cost times 1.2, minimum 0.01. */
export function holdFor(estimate: Money): Money {
  const known = knownHolds.get(estimate);
  if (known !== undefined) return known;
  if (knownHolds.size === maxKnownHolds) knownHolds.clear();
  const hold = computeHold(estimate);
  knownHolds.set(estimate, hold);
  return hold;
}

function computeHold(estimate: Money): Money {
  return toMoney(MoneyDecimal.max(new MoneyDecimal(estimate).times(limits.holdFactor), limits.minimumHold));
}
