import { within } from './within.ts';

export type Activity = {
  /**
   * Resolves at once while there may be work, which is for `checkEveryMs` after a hint or after a check that found some;
   * otherwise as soon as there may be. Never rejects.
   */
  untilActive(): Promise<void>;
  /** A hint came, so there is work. */
  wake(): void;
  seemsActive(): boolean;
  /** What rests then rests for ever. */
  close(): void;
};

/** Not longer than the time after which sweeps look for work with a lost hint, so that resting hardly delays it. */
const defaultCheckEveryMs = 5000;
const checkWithinMs = 5000;

export function createActivity(
  hasWork: () => Promise<boolean>,
  checkEveryMs = defaultCheckEveryMs,
): Activity {
  let seemsActive = true;
  let knownAtMs = Number.NEGATIVE_INFINITY;
  let checking: Promise<void> | null = null;
  let resting: (PromiseWithResolvers<void> & { timer: NodeJS.Timeout }) | null = null;

  function check(): Promise<void> {
    checking ??= ask().finally(() => {
      checking = null;
    });
    return checking;
  }

  async function ask(): Promise<void> {
    const startedAtMs = performance.now();
    // A database that fails or does not respond is the sweeps' problem.
    const found = await within(checkWithinMs, 'looking for work', hasWork()).catch(() => true);
    const isWoken = knownAtMs > startedAtMs;
    if (!isWoken) setActive(found, startedAtMs);
  }

  function setActive(isActive: boolean, atMs: number): void {
    [seemsActive, knownAtMs] = [isActive, atMs];
    if (!isActive) return;
    clearInterval(resting?.timer);
    resting?.resolve();
    resting = null;
  }

  function rest(): Promise<void> {
    resting ??= {
      ...Promise.withResolvers<void>(),
      timer: setInterval(() => void check(), checkEveryMs).unref(),
    };
    return resting.promise;
  }

  return {
    async untilActive() {
      if (performance.now() - knownAtMs >= checkEveryMs) await check();
      if (!seemsActive) await rest();
    },
    wake: () => setActive(true, performance.now()),
    seemsActive: () => seemsActive,
    close: () => clearInterval(resting?.timer),
  };
}
