import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import type { ProviderRoute } from '@holdfast/domain/modelRoute';
import type { Provider } from '@holdfast/providers/interface';
import type { Context } from './context.ts';
import type { Traced } from './inSpan.ts';
import { traced } from './traceProvider.ts';

/** How a run is reached: its model, and which of the model's providers has it. */
export type Route = { definition: ModelDefinition; route: ProviderRoute; provider: Provider };

/** Null: the model is unknown, no longer has that provider, or its connection is not configured here. */
export async function findRoute(context: Context, run: Traced & { target: string }): Promise<Route | null> {
  const definition = (await context.catalogue.find(run.model))?.definition;
  const there = definition?.providers.filter(({ connection }) => connection === run.connection) ?? [];
  const route = there.find(({ model }) => model === run.target) ?? there[0];
  const provider = route && context.providers.find(route);
  if (!definition || !route || !provider) return null;
  return { definition, route, provider: context.span ? traced(provider, context, run) : provider };
}
