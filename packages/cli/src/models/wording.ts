import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import type { ProviderRoute } from '@holdfast/domain/modelRoute';

const units: Record<string, string> = {
  per_run: 'a run',
  per_second: 'a second',
  per_image: 'a picture',
  per_megapixel: 'a megapixel',
  per_input_token: 'an input token',
  per_output_token: 'an output token',
};

/** As one reads it: `0.01 a run + 0.04 a picture`. */
export function priceText({ price }: Pick<ModelDefinition, 'price'>): string {
  const parts = Object.entries(price).flatMap(([name, amount]) =>
    typeof amount === 'string' ? `${amount} ${units[name] ?? name}` : [],
  );
  return `${price.cost_from_provider ? "the provider's figure, else " : ''}${parts.join(' + ')}`;
}

/** Whose server, which model there, and how its end reaches us. */
export function routeText({ connection, model, mode, weight }: ProviderRoute): string {
  return `${connection}: ${model} (${mode}${weight === undefined ? '' : `, weight ${weight}`})`;
}
