export type Shares = {
  roomOf(organizationId: string): number;
  take(organizationId: string, places: number): void;
  give(organizationId: string, places: number): void;
  /** Takes places, or gives back as many as are negative. */
  change(organizationId: string, places: number): void;
  taken(): number;
  idle(): Promise<void>;
};

/** One may take half of the free slots, so that a newcomer finds one (Choudhury and Hahne, 1998: dynamic thresholds). */
export function createShares(size: number): Shares {
  const taken = new Map<string, number>();
  let free = size;
  let idleListeners: (() => void)[] = [];

  function change(organizationId: string, places: number): void {
    if (places === 0) return;
    free -= places;
    const left = (taken.get(organizationId) ?? 0) + places;
    if (left > 0) taken.set(organizationId, left);
    else taken.delete(organizationId);
    if (free < size) return;
    for (const listener of idleListeners) listener();
    idleListeners = [];
  }

  return {
    roomOf: (organizationId) => Math.max(0, Math.ceil((free - (taken.get(organizationId) ?? 0)) / 2)),
    change,
    take: change,
    give: (organizationId, places) => change(organizationId, -places),
    taken: () => size - free,
    idle: () => (free === size ? Promise.resolve() : new Promise((resolve) => idleListeners.push(resolve))),
  };
}
