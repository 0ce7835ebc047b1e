import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import type { ProviderRoute } from '@holdfast/domain/modelRoute';
import type { Waiting } from './backlog.ts';

/**
 * Where a run may be sent, the best first. A first try goes to one of those with a weight, as often as its weight says, and
 * else to the first; then they follow in their order. A further try goes where it was meant to go, or to one after that, and
 * from the last on to the first again; to nobody who has refused it, other than for want of capacity.
 */
export function routesFor(
  definition: ModelDefinition | null,
  again: Waiting['again'],
  isOpen: (route: ProviderRoute) => boolean,
  chance = Math.random(),
): ProviderRoute[] {
  const open = (definition?.providers ?? []).filter(isOpen);
  if (again !== null) {
    const at = open.findIndex((route) => isAt(route, [again.connection, again.target]));
    const inTurn = at === -1 ? open : [...open.slice(at), ...open.slice(0, at)];
    const left = inTurn.filter(
      (route) => route === open[at] || !again.refusedAt.some((place) => isAt(route, place)),
    );
    return left.length > 0 ? left : inTurn;
  }
  const first = drawn(open, chance);
  return first ? [first, ...open.filter((route) => route !== first)] : open;
}

function isAt({ connection, model }: ProviderRoute, place: readonly [string, string]): boolean {
  return connection === place[0] && model === place[1];
}

function drawn(routes: ProviderRoute[], chance: number): ProviderRoute | undefined {
  const total = routes.reduce((sum, { weight = 0 }) => sum + weight, 0);
  let left = chance * total;
  return routes.find(({ weight = 0 }) => {
    left -= weight;
    return weight > 0 && left < 0;
  });
}
