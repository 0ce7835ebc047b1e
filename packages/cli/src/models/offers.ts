import type { CatalogueModel } from '@holdfast/db/models';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import type { ProviderRoute } from '@holdfast/domain/modelRoute';
import type { Connection } from '@holdfast/providers/connection';
import { missingSetting } from '@holdfast/providers/connectionConfig';

/** Why a model is not offered; null when it is. */
export function whyNotOffered(
  { definition, isActive }: CatalogueModel,
  connections: Record<string, Connection>,
): string | null {
  if (isActive) return null;
  if (!definition.active) return 'withdrawn, or active: false';
  return (
    missingSettings(definition, connections) ??
    'its providers were not configured when it was applied: apply it again'
  );
}

/** The settings that all of its providers lack; null when one of them is configured. */
export function missingSettings(
  { providers }: Pick<ModelDefinition, 'providers'>,
  connections: Record<string, Connection>,
): string | null {
  const missing = providers.map((route) => missingSetting(route, connections));
  if (missing.includes(null)) return null;
  return `${[...new Set(missing)].join(' or ')} is not set`;
}

const units: Record<string, string> = {
  per_run: 'per run',
  per_second: 'per second',
  per_image: 'per image',
  per_megapixel: 'per megapixel',
  per_input_token: 'per input token',
  per_output_token: 'per output token',
};

/** `0.01 per run + 0.04 per image` */
export function priceText({ price }: Pick<ModelDefinition, 'price'>): string {
  const parts = Object.entries(price).flatMap(([name, amount]) =>
    typeof amount === 'string' ? `${amount} ${units[name] ?? name}` : [],
  );
  return `${price.cost_from_provider ? "the provider's cost, else " : ''}${parts.join(' + ')}`;
}

/** `openai: gpt-4o (sync)` */
export function routeText({ connection, model, mode, weight }: ProviderRoute): string {
  return `${connection}: ${model} (${mode}${weight === undefined ? '' : `, weight ${weight}`})`;
}
