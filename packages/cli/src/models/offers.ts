import type { OfferedModel } from '@holdfast/db/models';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import type { ProviderRoute } from '@holdfast/domain/modelRoute';
import { priceLines, priceLineText } from '@holdfast/domain/priceLines';
import type { Connection } from '@holdfast/providers/connection';
import { missingSettings } from '@holdfast/providers/connectionConfig';

/** Why a model is not offered; null when it is. */
export function whyNotOffered(
  { definition, isActive }: OfferedModel,
  connections: Record<string, Connection>,
): string | null {
  if (isActive) return null;
  if (!definition.active) return 'withdrawn, or active: false';
  return (
    missingSettings(definition.providers, connections) ??
    'its providers were not configured when it was applied: apply it again'
  );
}

/** `0.01 per run + 0.04 per image` */
export function priceText({ price }: Pick<ModelDefinition, 'price'>): string {
  const sum = priceLines(price).map(priceLineText).join(' + ');
  const least = price.minimum === undefined ? '' : `, at least ${price.minimum}`;
  return `${price.cost_from_provider ? "the provider's cost, else " : ''}${sum}${least}`;
}

/** `openai: gpt-4o (sync)` */
export function routeText({ connection, model, mode, weight }: ProviderRoute): string {
  return `${connection}: ${model} (${mode}${weight === undefined ? '' : `, weight ${weight}`})`;
}
