import { Decimal } from 'decimal.js';
import type { ModelDefinition } from './modelDefinition.ts';
import { appliesTo, type Price } from './modelPrice.ts';
import { MoneyDecimal } from './money.ts';
import { inputUnits, type PriceLine, priceLines, runUnits } from './priceLines.ts';
import { expectedQuantity, inputQuantity, type PricedInput } from './quantities.ts';

export const decimals = 8;

export const priceUnits = [...runUnits, ...inputUnits, 'minimum'] as const;
export type PriceUnit = (typeof priceUnits)[number];

export type PriceItem = {
  unit: PriceUnit;
  /** The property of the input, for a unit of it. */
  input?: string;
  quantity: Decimal;
  unitPrice: string;
  amount: Decimal;
};

type Definition = Pick<ModelDefinition, 'price' | 'estimate'>;

/** Whether the measures of input files are needed to price a run. */
export function dependsOnFiles({ price, estimate: { seconds, megapixels } }: Definition): boolean {
  const isOfFile = priceLines(price).some(
    ({ unit }) => unit === 'input_second' || unit === 'input_megapixel',
  );
  return (
    isOfFile || [seconds, megapixels].some((rule) => typeof rule === 'object' && rule.input !== undefined)
  );
}

/** One item for each price, and one for what a minimum adds. Their sum is the expected cost. */
export function estimateItems({ price, estimate }: Definition, priced: PricedInput): PriceItem[] {
  const items = priceLines(price).map((line) => {
    const quantity =
      'input' in line ? inputQuantity(line, priced).quantity : expectedQuantity[line.unit](estimate, priced);
    return itemOf(line, priced, quantity);
  });
  return withMinimum(items, price.minimum);
}

/** The expected cost with 8 decimals, rounded up so that the hold never falls short. */
export function estimateCost(definition: Definition, priced: PricedInput, isBatch = false): string {
  const cost = total(estimateItems(definition, priced)).times(priceFactor(definition, isBatch));
  return cost.toFixed(decimals, Decimal.ROUND_UP);
}

/** The part of the price that is charged. */
export function priceFactor({ price }: Pick<ModelDefinition, 'price'>, isBatch: boolean): string {
  return (isBatch && price.batch) || '1';
}

export function itemOf(
  { unit, price, ...of }: PriceLine,
  { input }: PricedInput,
  quantity: Decimal,
): PriceItem {
  const unitPrice = amountFor(price, input);
  const named = 'input' in of ? { input: of.input } : {};
  return { unit, ...named, quantity, unitPrice, amount: quantity.times(unitPrice) };
}

/**
 * The amount that applies to an input. A table covers every input that its model accepts (`models validate`); should one
 * not be covered after all, the highest amount applies to it, in the estimate as in the charge.
 */
function amountFor(price: Price, input: PricedInput['input']): string {
  if (typeof price === 'string') return price;
  const row = price.find((one) => appliesTo(one, input));
  return row?.price ?? MoneyDecimal.max(...price.map((one) => one.price)).toFixed();
}

export function withMinimum(items: PriceItem[], minimum: string | undefined): PriceItem[] {
  const rest = new MoneyDecimal(minimum ?? 0).minus(total(items));
  if (rest.lte(0)) return items;
  const unitPrice = rest.toFixed();
  return [...items, { unit: 'minimum', quantity: new MoneyDecimal(1), unitPrice, amount: rest }];
}

export function total(items: readonly PriceItem[]): Decimal {
  return items.reduce<Decimal>((sum, { amount }) => sum.plus(amount), new MoneyDecimal(0));
}
