import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import type { Provider } from '@holdfast/providers/interface';
import type { Context } from './context.ts';

/** How a model is reached. */
export type Route = { definition: ModelDefinition; provider: Provider };

/** Null: the model is unknown, or its connection is not configured here. */
export async function findRoute(context: Context, model: string): Promise<Route | null> {
  const definition = (await context.catalogue.find(model))?.definition;
  const provider = definition && context.providers.find(definition.provider);
  return definition && provider ? { definition, provider } : null;
}
