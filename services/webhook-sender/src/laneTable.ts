import { limits } from '@holdfast/domain/limits';
import { LRUCache } from 'lru-cache';
import { type Health, type Lane, newHealth, newLane } from './lane.ts';
import { createLimit, type Limit } from './limit.ts';

export type LaneOf = {
  lane: string;
  organizationId: string;
  /** Maximum number of open requests in all senders together. If unknown, the first claim returns it. */
  maxInFlight?: number;
  /** What senders found so far; null: nothing. */
  inFlightLimit?: number | null;
};

/** Some kilobytes of what outlives the lanes, which are forgotten as soon as they are empty. */
const lanesKept = 10_000;

export type LaneTable = {
  /** The lane, new if this process does not have it. */
  find(to: LaneOf): Lane;
  /** How attempts at the lane's endpoint ended, also of a lane that was forgotten. */
  healthOf(key: string): Health | undefined;
  forget(lane: Lane): void;
  all(): Lane[];
};

export function createLaneTable(senders: () => number): LaneTable {
  const lanes = new Map<string, Lane>();
  const knownOf = new LRUCache<string, { limit: Limit; health: Health }>({ max: lanesKept });

  function add({ lane: key, organizationId }: LaneOf): Lane {
    const maxInFlight = key.startsWith('wh_') ? limits.webhookMaxInFlight : limits.webhookUrlMaxInFlight;
    const known = knownOf.get(key) ?? { limit: createLimit(() => 1 / senders()), health: newHealth() };
    knownOf.set(key, known);
    const lane = newLane({ key, organizationId, maxInFlight, ...known });
    lanes.set(key, lane);
    return lane;
  }

  return {
    find(to) {
      const lane = lanes.get(to.lane) ?? add(to);
      lane.maxInFlight = to.maxInFlight ?? lane.maxInFlight;
      if (typeof to.inFlightLimit === 'number') lane.limit.restore(to.inFlightLimit / senders());
      return lane;
    },
    healthOf: (key) => knownOf.get(key)?.health,
    forget: ({ key }) => void lanes.delete(key),
    all: () => [...lanes.values()],
  };
}
