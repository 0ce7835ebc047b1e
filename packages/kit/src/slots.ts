/** How much may go on at once. */
export type Slots = {
  /** True once a slot is the caller's, first come, first served; false when they were closed. */
  take(): Promise<boolean>;
  give(): void;
  /** Lets nobody in any more, those who wait neither. */
  close(): void;
  /** Resolves when no slot is taken. */
  idle(): Promise<void>;
};

export function createSlots(size: number): Slots {
  let taken = 0;
  let isClosed = false;
  let waiting: ((isTaken: boolean) => void)[] = [];
  let idleListeners: (() => void)[] = [];

  function give(): void {
    const next = waiting.shift();
    if (next) return next(true);
    taken -= 1;
    if (taken > 0) return;
    for (const listener of idleListeners) listener();
    idleListeners = [];
  }

  return {
    take() {
      if (isClosed) return Promise.resolve(false);
      if (taken >= size) return new Promise((resolve) => waiting.push(resolve));
      taken += 1;
      return Promise.resolve(true);
    },
    give,
    close() {
      isClosed = true;
      for (const resolve of waiting) resolve(false);
      waiting = [];
    },
    idle: () => (taken === 0 ? Promise.resolve() : new Promise((resolve) => idleListeners.push(resolve))),
  };
}
