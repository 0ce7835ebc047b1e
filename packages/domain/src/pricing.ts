import { Decimal } from 'decimal.js';
import type { ModelDefinition } from './modelDefinition.ts';
import { MoneyDecimal } from './money.ts';
import type { Success } from './outcome.ts';

const decimals = 8;

const priceOf = {
  run: 'per_run',
  second: 'per_second',
  image: 'per_image',
  megapixel: 'per_megapixel',
  input_token: 'per_input_token',
  output_token: 'per_output_token',
} as const;

export type PriceUnit = keyof typeof priceOf;
export const priceUnits = Object.keys(priceOf) as [PriceUnit, ...PriceUnit[]];

type Quantities = Record<PriceUnit, Decimal.Value>;

export type PriceItem = { unit: PriceUnit; quantity: Decimal; unitPrice: string; amount: Decimal };

export function estimateItems(definition: ModelDefinition, input: Record<string, unknown>): PriceItem[] {
  return itemise(definition, expected(definition, input));
}

/** The expected cost with 8 decimals, rounded up so that the hold never falls short. */
export function estimateCost(definition: ModelDefinition, input: Record<string, unknown>): string {
  return total(definition, expected(definition, input)).toFixed(decimals, Decimal.ROUND_UP);
}

/** With 8 decimals, rounded half up. Quantities that were not measured count as estimated. */
export function actualCost(definition: ModelDefinition, outcome: Success): string {
  const reported = definition.price.cost_from_provider ? reportedCost(outcome) : null;
  const cost = reported ?? total(definition, consumed(definition, outcome));
  return cost.toFixed(decimals, Decimal.ROUND_HALF_UP);
}

function total(definition: ModelDefinition, used: Quantities): Decimal {
  const amounts = itemise(definition, used).map(({ amount }) => amount);
  return amounts.reduce((sum, amount) => sum.plus(amount), new MoneyDecimal(0));
}

function itemise({ price }: ModelDefinition, used: Quantities): PriceItem[] {
  return priceUnits.flatMap((unit) => {
    const unitPrice = price[priceOf[unit]];
    if (unitPrice === undefined) return [];
    const quantity = new MoneyDecimal(used[unit]);
    return [{ unit, quantity, unitPrice, amount: quantity.times(unitPrice) }];
  });
}

function expected({ estimate }: ModelDefinition, input: Record<string, unknown>): Quantities {
  const inputTokens = quantity(estimate.input_tokens, input) ?? Math.ceil(textLength(input) / 4);
  const images = quantity(estimate.images, input) ?? 1;
  return {
    run: 1,
    second: quantity(estimate.seconds, input) ?? 0,
    image: images,
    megapixel: megapixelsOfOne(estimate.megapixels, input).times(images),
    input_token: inputTokens,
    output_token: quantity(estimate.output_tokens, input) ?? inputTokens,
  };
}

function consumed({ estimate }: ModelDefinition, { output, usage, measured }: Success): Quantities {
  const imageCount = Array.isArray(output.images) ? output.images.length : 0;
  const images = measured.images ?? imageCount;
  return {
    run: 1,
    second: measured.seconds ?? quantity(estimate.seconds, {}) ?? 0,
    image: images,
    megapixel: measured.megapixels ?? megapixelsOfOne(estimate.megapixels, {}).times(images),
    input_token: usage.inputTokens,
    output_token: usage.outputTokens,
  };
}

type Estimate = ModelDefinition['estimate'];

function quantity(rule: Estimate['images'], input: Record<string, unknown>): number | null {
  if (rule === undefined) return null;
  if (typeof rule === 'number') return rule;
  const given = input[rule.input];
  return typeof given === 'number' && Number.isFinite(given) && given >= 0 ? given : rule.default;
}

function megapixelsOfOne(rule: Estimate['megapixels'], input: Record<string, unknown>): Decimal {
  if (rule === undefined || typeof rule === 'number') return new MoneyDecimal(rule ?? 1);
  const pixels = productOfSides(rule, input);
  return pixels === null ? new MoneyDecimal(rule.default) : pixels.div(1_000_000);
}

function productOfSides(
  rule: Exclude<Estimate['megapixels'], number | undefined>,
  input: Record<string, unknown>,
): Decimal | null {
  const named = (name: string | undefined) => (name === undefined ? undefined : input[name]);
  const size = named(rule.size);
  const sides =
    typeof size === 'string'
      ? (/^(\d{1,6})[x×*](\d{1,6})$/i.exec(size)?.slice(1).map(Number) ?? [])
      : [named(rule.width), named(rule.height)];
  const [width, height] = sides;
  return isSide(width) && isSide(height) ? new MoneyDecimal(width).times(height) : null;
}

function isSide(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0;
}

function textLength(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (value === null || typeof value !== 'object') return 0;
  return Object.values(value).reduce<number>((sum, one) => sum + textLength(one), 0);
}

/** Implausible figures are ignored: the amount is about to be charged. */
function reportedCost({ measured }: Success): Decimal | null {
  if (measured.cost === undefined || !/^\d{1,9}(\.\d{1,40})?(e-\d{1,3})?$/i.test(measured.cost)) return null;
  return new MoneyDecimal(measured.cost);
}
