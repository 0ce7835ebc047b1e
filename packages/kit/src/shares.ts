export type Shares = {
  roomOf(organizationId: string): number;
  take(organizationId: string, count: number): void;
  give(organizationId: string, count: number): void;
  /** Takes slots; a negative count gives them back. */
  change(organizationId: string, count: number): void;
  taken(): number;
  idle(): Promise<void>;
};

/** One may take half of the free slots, so that a newcomer finds one (Choudhury and Hahne, 1998: dynamic thresholds). */
export function createShares(size: number): Shares {
  const taken = new Map<string, number>();
  let free = size;
  let idleListeners: (() => void)[] = [];

  function change(organizationId: string, count: number): void {
    if (count === 0) return;
    free -= count;
    const left = (taken.get(organizationId) ?? 0) + count;
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
    give: (organizationId, count) => change(organizationId, -count),
    taken: () => size - free,
    idle: () => (free === size ? Promise.resolve() : new Promise((resolve) => idleListeners.push(resolve))),
  };
}
