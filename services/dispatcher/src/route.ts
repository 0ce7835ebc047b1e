import type { ModelDefinition, ProviderRoute } from '@holdfast/domain/modelDefinition';
import type { Provider } from '@holdfast/providers/interface';
import type { Context } from './context.ts';

/** How a model is reached. */
export type Route = { definition: ModelDefinition; route: ProviderRoute; provider: Provider };

/** Null: the model is unknown, or its connection is not configured here. */
export async function findRoute(context: Context, model: string): Promise<Route | null> {
  const definition = (await context.catalogue.find(model))?.definition;
  const [route] = definition?.providers ?? [];
  const provider = route && context.providers.find(route);
  return definition && route && provider ? { definition, route, provider } : null;
}
