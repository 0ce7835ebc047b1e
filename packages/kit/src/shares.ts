/** The places of a process, which organizations share. */
export type Shares = {
  /** How many more an organization may take. */
  roomOf(organizationId: string): number;
  take(organizationId: string, places: number): void;
  give(organizationId: string, places: number): void;
  /** How many are taken in all. */
  taken(): number;
  /** Resolves when no place is taken. */
  idle(): Promise<void>;
};

/**
 * Nobody may take as many places as would be left free: one organization alone has half of them, two a third each, and so
 * on, so that there is always room for one that comes later. (Choudhury and Hahne, Dynamic Queue Length Thresholds, 1998.)
 */
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
