import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import type { ProviderRoute } from '@holdfast/domain/modelRoute';

type Place = { connection: string; target: string };

/**
 * Where a run may be sent, the best first. A first try goes to one of those with a weight, as often as its weight says, and
 * else to the first; then they follow in their order. A further try goes where it was meant to go, or to one after that.
 */
export function routesFor(
  definition: ModelDefinition | null,
  again: Place | null,
  isOpen: (route: ProviderRoute) => boolean,
  chance = Math.random(),
): ProviderRoute[] {
  const open = (definition?.providers ?? []).filter(isOpen);
  if (again !== null) {
    const at = open.findIndex(
      ({ connection, model }) => connection === again.connection && model === again.target,
    );
    return at === -1 ? open : open.slice(at);
  }
  const first = drawn(open, chance);
  return first ? [first, ...open.filter((route) => route !== first)] : open;
}

function drawn(routes: ProviderRoute[], chance: number): ProviderRoute | undefined {
  const total = routes.reduce((sum, { weight = 0 }) => sum + weight, 0);
  let left = chance * total;
  return routes.find(({ weight = 0 }) => {
    left -= weight;
    return weight > 0 && left < 0;
  });
}
