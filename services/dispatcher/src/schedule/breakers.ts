import type { Logger } from '@holdfast/kit/logger';
import type { Gauge } from '@holdfast/kit/metrics';
import type { Progress } from '@holdfast/providers/interface';
import { type AdmissionControl, breaker, type CallCounts } from '@holdfast/queues/admission';

export type Breakers = {
  /** True also while the connection is probed: then admission decides which run goes there. */
  isOpen(connection: string): boolean;
  /** Counts a call that had `givenMs`, where runs of its model usually have `usualMs`. */
  called(connection: string, progress: Progress, time: { givenMs: number; usualMs: number }): void;
  stop(): Promise<void>;
};

const reportEveryMs = 1000;
const reportEveryIdleMs = 5000;

export function openBreakers(args: {
  admission: AdmissionControl;
  connections: string[];
  state: Gauge<'connection'>;
  isActive?(): boolean;
  log: Logger;
  /** Without Redis, circuits that stay open longer would never be probed. */
  maxAgeMs?: number;
}): Breakers {
  const { admission, log, maxAgeMs = breaker.openMs, isActive = () => true } = args;
  let reportedAtMs = performance.now();
  let open: ReadonlyMap<string, number> = new Map();
  let calls = new Map<string, CallCounts>();
  let reporting: Promise<void> | null = null;

  async function report(): Promise<void> {
    const reported = [...calls.values()];
    calls = new Map();
    try {
      const now = await admission.report(reported);
      for (const connection of args.connections) {
        if (now.has(connection) === open.has(connection)) continue;
        if (now.has(connection)) log.error({ connection }, 'a provider accepts no runs: its circuit is open');
        else log.info({ connection }, 'a provider accepts runs again: its circuit is closed');
      }
      open = now;
      reportedAtMs = performance.now();
    } catch (error) {
      log.debug({ err: error }, 'could not report calls to providers');
      if (performance.now() - reportedAtMs > maxAgeMs) open = new Map();
    }
    for (const connection of args.connections) args.state.set({ connection }, open.has(connection) ? 1 : 0);
  }

  const timer = setInterval(() => {
    if (!isActive() && calls.size === 0 && performance.now() - reportedAtMs < reportEveryIdleMs) return;
    reporting ??= report().finally(() => {
      reporting = null;
    });
  }, reportEveryMs);
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
      await reporting;
    },
  };
}

/** A time-out that a client caused by giving a slow model no time must not open the circuit for all others. */
function isLate(progress: Progress): boolean {
  return progress.state === 'unknown' && progress.outcome.code === 'GENERATION_TIMEOUT';
}

/** Null: a busy provider works, and one that doesn't know a model may serve the others. */
function verdictOn(progress: Progress): 'ok' | 'failed' | null {
  if (progress.state === 'running') return 'ok';
  if (progress.state === 'ended') return progress.isTheirFault ? 'failed' : 'ok';
  if (progress.state === 'unknown') return 'failed';
  const { retryAfterMs, outcome, isBusy } = progress;
  const isUnknownModel = outcome.code === 'MODEL_UNAVAILABLE' && retryAfterMs === null;
  return isBusy || outcome.code === 'MODEL_OVERLOADED' || isUnknownModel ? null : 'failed';
}
