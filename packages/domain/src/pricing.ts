import { Decimal } from 'decimal.js';
import type { ModelDefinition } from './modelDefinition.ts';
import type { Price } from './modelPrice.ts';
import { MoneyDecimal } from './money.ts';
import type { Billed, Success } from './outcome.ts';
import { inputUnits, type PriceLine, priceLines, type RunUnit, runUnits } from './priceLines.ts';
import {
  expectedImages,
  expectedMegapixels,
  expectedQuantity,
  inputQuantity,
  type PricedInput,
} from './quantities.ts';

const decimals = 8;

export const priceUnits = [...runUnits, ...inputUnits, 'minimum'] as const;
export type PriceUnit = (typeof priceUnits)[number];

export type PriceItem = {
  unit: PriceUnit;
  /** Of a unit of the input: its property. */
  input?: string;
  quantity: Decimal;
  unitPrice: string;
  amount: Decimal;
};

type Definition = Pick<ModelDefinition, 'price' | 'estimate'> & {
  /** Missing in definitions of the previous version. */
  missing_usage?: ModelDefinition['missing_usage'] | undefined;
};

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
    const quantity = 'input' in line ? inputQuantity(line, priced).quantity : null;
    return itemOf(line, priced, quantity ?? expectedQuantity[line.unit as RunUnit](estimate, priced));
  });
  return withMinimum(items, price.minimum);
}

/** The expected cost with 8 decimals, rounded up so that the hold never falls short. */
export function estimateCost(definition: Definition, priced: PricedInput): string {
  return total(estimateItems(definition, priced)).toFixed(decimals, Decimal.ROUND_UP);
}

/** What a run costs, and the quantities that it is charged for. */
export type Charge = {
  /** With 8 decimals, rounded half up. */
  cost: string;
  usage: Success['usage'];
  billed: Billed;
  /** Priced quantities that the run neither reported nor showed, and `cost` where the provider should have reported it. */
  missing: string[];
};

/** A quantity that is missing or 0 counts as estimated for this input, or as nothing (`missing_usage`). */
export function chargeFor(definition: Definition, priced: PricedInput, success: Success): Charge {
  const { price } = definition;
  const reported = price.cost_from_provider ? reportedCost(success) : null;
  if (reported) {
    const cost = MoneyDecimal.max(reported, price.minimum ?? 0).toFixed(decimals, Decimal.ROUND_HALF_UP);
    return { cost, usage: success.usage, billed: {}, missing: [] };
  }
  const lines = priceLines(price).map((line) => billedLine(definition, line, priced, success));
  const items = withMinimum(
    lines.map(({ item }) => item),
    price.minimum,
  );
  const missing = lines.filter(({ isMissing }) => isMissing).map(({ item }) => nameOf(item));
  return {
    cost: total(items).toFixed(decimals, Decimal.ROUND_HALF_UP),
    ...billedQuantities(items, success, isFree(definition) ? [] : missing),
    missing: [...(price.cost_from_provider ? ['cost'] : []), ...missing],
  };
}

function itemOf({ unit, price, ...of }: PriceLine, { input }: PricedInput, quantity: Decimal): PriceItem {
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
  const row = price.find(({ when }) => Object.entries(when).every(([name, value]) => input[name] === value));
  return row?.price ?? MoneyDecimal.max(...price.map((one) => one.price)).toFixed();
}

function withMinimum(items: PriceItem[], minimum: string | undefined): PriceItem[] {
  const rest = new MoneyDecimal(minimum ?? 0).minus(total(items));
  if (rest.lte(0)) return items;
  const unitPrice = rest.toFixed();
  return [...items, { unit: 'minimum', quantity: new MoneyDecimal(1), unitPrice, amount: rest }];
}

function total(items: readonly PriceItem[]): Decimal {
  return items.reduce<Decimal>((sum, { amount }) => sum.plus(amount), new MoneyDecimal(0));
}

const isFree = ({ missing_usage: policy }: Definition) => policy === 'free';

type BilledLine = { item: PriceItem; isMissing: boolean };

function billedLine(
  definition: Definition,
  line: PriceLine,
  priced: PricedInput,
  success: Success,
): BilledLine {
  const { quantity, measured } =
    'input' in line
      ? inputQuantity(line, priced)
      : { quantity: null, measured: new MoneyDecimal(produced[line.unit](success) ?? 0) };
  const isKnown = quantity === null ? measured.gt(0) : measured.eq(quantity);
  const missingQuantity = quantity ?? atMostEstimated(definition, line.unit as RunUnit, priced, success);
  const item = itemOf(line, priced, isKnown || isFree(definition) ? measured : missingQuantity);
  return { item, isMissing: !isKnown && !new MoneyDecimal(item.unitPrice).isZero() };
}

/** Not reported counts as 0. */
const produced: Record<RunUnit, (success: Success) => number | undefined> = {
  run: () => 1,
  second: ({ measured }) => measured.seconds ?? measured.outputSeconds,
  image: imagesOf,
  megapixel: ({ measured }) => measured.megapixels,
  input_token: ({ usage }) => usage.inputTokens,
  output_token: ({ usage }) => usage.outputTokens,
};

function imagesOf({ measured, output }: Success): number {
  return measured.images ?? (Array.isArray(output.images) ? output.images.length : 0);
}

/** A run that made fewer images than expected also has fewer pixels. */
function atMostEstimated(
  { estimate }: Definition,
  unit: RunUnit,
  priced: PricedInput,
  success: Success,
): Decimal {
  const expected = expectedQuantity[unit](estimate, priced);
  const images = imagesOf(success);
  if (unit !== 'megapixel' || images === 0 || expectedImages(estimate, priced).lte(images)) return expected;
  return expectedMegapixels(estimate, priced).times(images);
}

const billedNames = {
  second: 'seconds',
  image: 'images',
  megapixel: 'megapixels',
  input_token: 'input_tokens',
  output_token: 'output_tokens',
  character: 'characters',
  input_second: 'input_seconds',
  input_megapixel: 'input_megapixels',
} as const satisfies Partial<Record<PriceUnit, string>>;

function nameOf({ unit, input = unit }: PriceItem): string {
  return unit in billedNames ? billedNames[unit as keyof typeof billedNames] : input;
}

/** Tokens are shown as billed, too, where they are priced. */
function billedQuantities(
  items: readonly PriceItem[],
  { usage }: Success,
  estimated: string[],
): Pick<Charge, 'usage' | 'billed'> {
  const named = items.filter(({ unit }) => unit in billedNames);
  const quantities = Object.fromEntries(named.map((item) => [nameOf(item), item.quantity.toNumber()]));
  const { input_tokens: inputTokens, output_tokens: outputTokens, ...others } = quantities;
  const units = items
    .filter(({ unit }) => unit === 'unit')
    .map((item) => [nameOf(item), item.quantity.toNumber()]);
  return {
    usage: {
      inputTokens: Math.ceil(inputTokens ?? usage.inputTokens),
      outputTokens: Math.ceil(outputTokens ?? usage.outputTokens),
    },
    billed: {
      ...others,
      ...(units.length > 0 && { units: Object.fromEntries(units) }),
      ...(estimated.length > 0 && { estimated }),
    },
  };
}

/** Implausible figures are ignored: the amount is about to be charged. */
function reportedCost({ measured }: Success): Decimal | null {
  if (measured.cost === undefined || !/^\d{1,9}(\.\d{1,40})?(e-\d{1,3})?$/i.test(measured.cost)) return null;
  return new MoneyDecimal(measured.cost);
}
