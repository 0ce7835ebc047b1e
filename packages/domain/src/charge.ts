import { Decimal } from 'decimal.js';
import type { ModelDefinition } from './modelDefinition.ts';
import type { Prices } from './modelPrice.ts';
import type { ProviderRoute } from './modelRoute.ts';
import { type Money, MoneyDecimal } from './money.ts';
import type { Billed, Success } from './outcome.ts';
import { type PriceLine, priceLines, type RunUnit } from './priceLines.ts';
import {
  decimals,
  itemOf,
  type PriceItem,
  type PriceUnit,
  priceFactor,
  total,
  withMinimum,
} from './pricing.ts';
import {
  expectedImages,
  expectedMegapixels,
  expectedQuantity,
  inputQuantity,
  type PricedInput,
  type Quantity,
} from './quantities.ts';

type Definition = Pick<ModelDefinition, 'price' | 'estimate' | 'missing_usage'>;

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
export function chargeFor(
  definition: Definition,
  priced: PricedInput,
  success: Success,
  isBatch = false,
): Charge {
  const { price } = definition;
  const costOf = (amount: Decimal) =>
    amount.times(priceFactor(definition, isBatch)).toFixed(decimals, Decimal.ROUND_HALF_UP);
  const reported = price.cost_from_provider ? reportedCost(success) : null;
  if (reported) {
    const cost = costOf(MoneyDecimal.max(reported, price.minimum ?? 0));
    return { cost, usage: success.usage, billed: {}, missing: [] };
  }
  const lines = priceLines(price).map((line) => billedLine(definition, line, priced, success));
  const items = withMinimum(
    lines.map(({ item }) => item),
    price.minimum,
  );
  const missing = lines.filter(({ isMissing }) => isMissing).map(({ item }) => nameOf(item));
  return {
    cost: costOf(total(items)),
    ...billedQuantities(items, success, isFree(definition) ? [] : missing),
    missing: [...(price.cost_from_provider ? ['cost'] : []), ...missing],
  };
}

type Costed = {
  definition: Pick<ModelDefinition, 'provider_price' | 'estimate' | 'missing_usage'>;
  route: Pick<ProviderRoute, 'provider_price'>;
};

export function providerPriceOf({ definition, route }: Costed): Prices | undefined {
  return route.provider_price ?? definition.provider_price;
}

/** What a run costs the operator: as its provider reports, else as the model says. Null: unknown. */
export function providerCostOf(model: Costed, priced: PricedInput, success: Success): Money | null {
  const reported = reportedCost(success);
  if (reported) return reported.toFixed(decimals, Decimal.ROUND_HALF_UP);
  const price = providerPriceOf(model);
  return price ? chargeFor({ ...model.definition, price }, priced, success).cost : null;
}

const isFree = ({ missing_usage: policy }: Definition) => policy === 'free';

type BilledLine = { item: PriceItem; isMissing: boolean };

function billedLine(
  definition: Definition,
  line: PriceLine,
  priced: PricedInput,
  success: Success,
): BilledLine {
  const { quantity, known, isMissing } =
    'input' in line ? inputQuantity(line, priced) : runQuantity(definition, line.unit, priced, success);
  const item = itemOf(line, priced, isFree(definition) ? known : quantity);
  return { item, isMissing: isMissing && !new MoneyDecimal(item.unitPrice).isZero() };
}

function runQuantity(
  { estimate }: Definition,
  unit: RunUnit,
  priced: PricedInput,
  success: Success,
): Quantity {
  const known = new MoneyDecimal(produced[unit](success) ?? 0);
  if (known.gt(0)) return { quantity: known, known, isMissing: false };
  const isOfImages = unit === 'megapixel' && imagesOf(success) > 0;
  const quantity = isOfImages
    ? unmeasuredMegapixels(estimate, priced, imagesOf(success))
    : expectedQuantity[unit](estimate, priced);
  return { quantity, known, isMissing: true };
}

/** Not reported counts as 0. */
const produced: Record<RunUnit, (success: Success) => number | undefined> = {
  run: () => 1,
  second: ({ measured }) => measured.seconds || measured.outputSeconds,
  image: imagesOf,
  megapixel: ({ measured }) => measured.megapixels,
  input_token: ({ usage }) => usage.inputTokens,
  output_token: ({ usage }) => usage.outputTokens,
};

function imagesOf({ measured, output }: Success): number {
  return measured.images ?? (Array.isArray(output.images) ? output.images.length : 0);
}

/** A run that made fewer images than expected also has fewer pixels. */
function unmeasuredMegapixels(
  estimate: Definition['estimate'],
  priced: PricedInput,
  images: number,
): Decimal {
  const counted = Decimal.min(images, expectedImages(estimate, priced));
  return expectedMegapixels(estimate, priced).times(counted);
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
