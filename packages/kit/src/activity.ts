export type Activity = {
  /** Resolves while there may be work: for `checkEveryMs` after a hint, and when `hasWork`, asked once in that time, returns true. */
  untilActive(): Promise<void>;
  /** A hint came, so there is work. */
  wake(): void;
  seemsActive(): boolean;
};

/** Not longer than the time after which sweeps look for work whose hint may be lost, so that idling delays no lost hint. */
const defaultCheckEveryMs = 5000;

export function createActivity(
  hasWork: () => Promise<boolean>,
  checkEveryMs = defaultCheckEveryMs,
): Activity {
  let seemsActive = true;
  let checkedAtMs = Number.NEGATIVE_INFINITY;
  let checking: Promise<void> | null = null;
  let idling: (PromiseWithResolvers<void> & { timer: NodeJS.Timeout }) | null = null;

  function check(): Promise<void> {
    checking ??= look().finally(() => {
      checking = null;
    });
    return checking;
  }

  async function look(): Promise<void> {
    const startedAtMs = performance.now();
    // A database that fails is the sweeps' problem.
    const found = await hasWork().catch(() => true);
    const isWoken = checkedAtMs > startedAtMs;
    if (!isWoken) learn(found, startedAtMs);
  }

  function learn(isActive: boolean, atMs: number): void {
    [seemsActive, checkedAtMs] = [isActive, atMs];
    if (!isActive || !idling) return;
    clearInterval(idling.timer);
    idling.resolve();
    idling = null;
  }

  function idle(): Promise<void> {
    idling ??= {
      ...Promise.withResolvers<void>(),
      timer: setInterval(() => void check(), checkEveryMs).unref(),
    };
    return idling.promise;
  }

  return {
    async untilActive() {
      if (performance.now() - checkedAtMs >= checkEveryMs) await check();
      if (!seemsActive) await idle();
    },
    wake: () => learn(true, performance.now()),
    seemsActive: () => seemsActive,
  };
}
