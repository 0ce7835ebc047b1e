export type Activity = {
  /** Whether there may be work. Asks `hasWork` once per `checkEveryMs`, and always returns true for as long after a `wake`. */
  isActive(): Promise<boolean>;
  /** A hint came, so there is work. */
  wake(): void;
  seemsActive(): boolean;
};

/** Shorter than the time after which sweeps look for work whose hint may be lost, so that idling delays no lost hint. */
const defaultCheckEveryMs = 5000;

export function createActivity(
  hasWork: () => Promise<boolean>,
  checkEveryMs = defaultCheckEveryMs,
): Activity {
  let seemsActive = true;
  let checkedAtMs = Number.NEGATIVE_INFINITY;
  let checking: Promise<boolean> | null = null;

  async function check(): Promise<boolean> {
    const startedAtMs = performance.now();
    // A database that fails is the sweeps' problem.
    const found = await hasWork().catch(() => true);
    // Woken meanwhile.
    if (checkedAtMs > startedAtMs) return seemsActive;
    [seemsActive, checkedAtMs] = [found, startedAtMs];
    return found;
  }

  return {
    async isActive() {
      if (performance.now() - checkedAtMs < checkEveryMs) return seemsActive;
      checking ??= check().finally(() => {
        checking = null;
      });
      return await checking;
    },
    wake() {
      [seemsActive, checkedAtMs] = [true, performance.now()];
    },
    seemsActive: () => seemsActive,
  };
}
