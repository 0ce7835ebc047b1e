import { Decimal } from 'decimal.js';
import type { ModelDefinition } from './modelDefinition.ts';
import { MoneyDecimal } from './money.ts';
import type { Success } from './outcome.ts';

const decimals = 8;

type Quantities = { seconds: number; images: number; inputTokens: number; outputTokens: number };

/**
 * What a run of the model with this input is expected to cost: a decimal string of 8 decimals, rounded
 * up, so that a hold made from it never falls short by rounding.
 */
export function estimateCost(definition: ModelDefinition, input: Record<string, unknown>): string {
  return total(definition, expected(definition, input)).toFixed(decimals, Decimal.ROUND_UP);
}

/**
 * What a completed run costs: a decimal string of 8 decimals, rounded half up. The provider's own figure
 * wins where the model says so; what it did not measure is charged as estimated.
 */
export function actualCost(definition: ModelDefinition, outcome: Success): string {
  const reported = definition.price.cost_from_provider ? reportedCost(outcome) : null;
  const cost = reported ?? total(definition, consumed(definition, outcome));
  return cost.toFixed(decimals, Decimal.ROUND_HALF_UP);
}

function total({ price }: ModelDefinition, used: Quantities): Decimal {
  return new MoneyDecimal(price.per_run ?? 0)
    .plus(new MoneyDecimal(price.per_second ?? 0).times(used.seconds))
    .plus(new MoneyDecimal(price.per_image ?? 0).times(used.images))
    .plus(new MoneyDecimal(price.per_input_token ?? 0).times(used.inputTokens))
    .plus(new MoneyDecimal(price.per_output_token ?? 0).times(used.outputTokens));
}

function expected({ estimate }: ModelDefinition, input: Record<string, unknown>): Quantities {
  const inputTokens = quantity(estimate.input_tokens, input) ?? Math.ceil(textLength(input) / 4);
  return {
    seconds: quantity(estimate.seconds, input) ?? 0,
    images: quantity(estimate.images, input) ?? 1,
    inputTokens,
    outputTokens: quantity(estimate.output_tokens, input) ?? inputTokens,
  };
}

function consumed(definition: ModelDefinition, { output, usage, measured }: Success): Quantities {
  const pictures = Array.isArray(output.images) ? output.images.length : 0;
  return {
    seconds: measured.seconds ?? quantity(definition.estimate.seconds, {}) ?? 0,
    images: measured.images ?? pictures,
    inputTokens: usage.inputTokens,
    outputTokens: usage.outputTokens,
  };
}

function quantity(
  rule: ModelDefinition['estimate']['images'],
  input: Record<string, unknown>,
): number | null {
  if (rule === undefined) return null;
  if (typeof rule === 'number') return rule;
  const given = input[rule.input];
  return typeof given === 'number' && Number.isFinite(given) && given >= 0 ? given : rule.default;
}

function textLength(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (value === null || typeof value !== 'object') return 0;
  return Object.values(value).reduce<number>((sum, one) => sum + textLength(one), 0);
}

/** A provider's figure is believed only if it is a sane amount: it is about to be charged. */
function reportedCost({ measured }: Success): Decimal | null {
  if (measured.cost === undefined || !/^\d{1,9}(\.\d+)?(e-\d{1,3})?$/.test(measured.cost)) return null;
  return new MoneyDecimal(measured.cost);
}
