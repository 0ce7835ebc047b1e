export type Shares = {
  roomOf(organizationId: string): number;
  take(organizationId: string, places: number): void;
  give(organizationId: string, places: number): void;
  taken(): number;
  idle(): Promise<void>;
};

/** One may take half of the free slots, so that a newcomer finds one (Choudhury and Hahne, 1998: dynamic thresholds). */
export function createShares(size: number): Shares {
  const taken = new Map<string, number>();
  let free = size;
  let idleListeners: (() => void)[] = [];
  return {
    roomOf: (organizationId) => Math.max(0, Math.ceil((free - (taken.get(organizationId) ?? 0)) / 2)),
    take(organizationId, places) {
      free -= places;
      taken.set(organizationId, (taken.get(organizationId) ?? 0) + places);
    },
    give(organizationId, places) {
      free += places;
      const left = (taken.get(organizationId) ?? 0) - places;
      if (left > 0) taken.set(organizationId, left);
      else taken.delete(organizationId);
      if (free < size) return;
      for (const listener of idleListeners) listener();
      idleListeners = [];
    },
    taken: () => size - free,
    idle: () => (free === size ? Promise.resolve() : new Promise((resolve) => idleListeners.push(resolve))),
  };
}
