import type { Logger } from '@holdfast/kit/logger';
import type { Gauge } from '@holdfast/kit/metrics';
import type { Progress } from '@holdfast/providers/interface';
import { type AdmissionControl, breaker, type CallCounts } from '@holdfast/queues/admission';

/** Which providers are left alone for a while, as all dispatchers have found together. */
export type Breakers = {
  /** Whether it is left alone, or is being probed: then the desk says who may go there. */
  isOpen(connection: string): boolean;
  /** What came of a call that had so much time, where such a run usually has `usualMs`. */
  called(connection: string, progress: Progress, time: { givenMs: number; usualMs: number }): void;
  stop(): Promise<void>;
};

const tellEveryMs = 1000;

export function openBreakers(args: {
  desk: AdmissionControl;
  connections: string[];
  state: Gauge<'connection'>;
  log: Logger;
  /** What was found is believed for so long while Redis is away: whoever is left alone for longer would never be probed. */
  believedMs?: number;
}): Breakers {
  const { desk, log, believedMs = breaker.openMs } = args;
  let toldAtMs = performance.now();
  let open: ReadonlyMap<string, number> = new Map();
  let calls = new Map<string, CallCounts>();
  let telling: Promise<void> | null = null;

  async function tell(): Promise<void> {
    const told = [...calls.values()];
    calls = new Map();
    try {
      const now = await desk.report(told);
      for (const connection of args.connections) {
        if (now.has(connection) === open.has(connection)) continue;
        if (now.has(connection)) log.error({ connection }, 'a provider takes no runs: its circuit is open');
        else log.info({ connection }, 'a provider takes runs again: its circuit is closed');
      }
      open = now;
      toldAtMs = performance.now();
    } catch (error) {
      log.debug({ err: error }, 'calls to providers could not be reported');
      if (performance.now() - toldAtMs > believedMs) open = new Map();
    }
    for (const connection of args.connections) args.state.set({ connection }, open.has(connection) ? 1 : 0);
  }

  const timer = setInterval(() => {
    telling ??= tell().finally(() => {
      telling = null;
    });
  }, tellEveryMs);
  return {
    isOpen: (connection) => open.has(connection),
    called(connection, progress, { givenMs, usualMs }) {
      const verdict = verdictOn(progress);
      if (verdict === null || (isLate(progress) && givenMs < usualMs / 2)) return;
      const known = calls.get(connection) ?? { connection, ok: 0, failed: 0 };
      const isDead = known.isDead || (progress.state === 'refused' && progress.isDead);
      calls.set(connection, { ...known, [verdict]: known[verdict] + 1, ...(isDead && { isDead }) });
    },
    async stop() {
      clearInterval(timer);
      await telling;
    },
  };
}

/** Whoever gives a slow model no time would have its provider left alone, for all others too. */
function isLate(progress: Progress): boolean {
  return progress.state === 'unknown' && progress.outcome.code === 'GENERATION_TIMEOUT';
}

/**
 * Null: it says nothing of the provider's health. That it has too much to do is no fault: it is asked later anyway. Nor is
 * that it doesn't know one of its models: the others must not stand still for that.
 */
function verdictOn(progress: Progress): 'ok' | 'failed' | null {
  if (progress.state === 'running') return 'ok';
  if (progress.state === 'ended') return progress.isTheirFault ? 'failed' : 'ok';
  if (progress.state === 'unknown') return 'failed';
  const { retryAfterMs, outcome, isBusy } = progress;
  const isUnknownModel = outcome.code === 'MODEL_UNAVAILABLE' && retryAfterMs === null;
  return isBusy || outcome.code === 'MODEL_OVERLOADED' || isUnknownModel ? null : 'failed';
}
