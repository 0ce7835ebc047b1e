import type { Activity } from './activity.ts';
import type { Logger } from './logger.ts';

export type Sweep = {
  /** Runs now, or joins the current run. */
  runNow(): Promise<void>;
  /** For /healthz: null while runs end, even in failure: a restart does not repair a database. */
  problem(): string | null;
  stop(): Promise<void>;
};

/** Whether this instance runs now what instances share. Never rejects. */
export type TakeTurn = () => Promise<boolean>;

export type TurnOf = (sweep: string, intervalMs: number) => TakeTurn;

/** Runs `work` every `intervalMs` with jitter, one run at a time, when `isTurn` allows it and while there may be work. Failures are logged. */
export function startSweep(args: {
  name: string;
  intervalMs: number;
  log: Logger;
  work(): Promise<unknown>;
  isTurn?: TakeTurn;
  activity?: Pick<Activity, 'untilActive'>;
  hangsAfterMs?: number;
}): Sweep {
  let running: Promise<void> | null = null;
  const hangsAfterMs = args.hangsAfterMs ?? Math.max(60_000, args.intervalMs * 3);
  let scheduledAtMs = performance.now();
  let timer: NodeJS.Timeout | undefined;
  let isResting = false;
  let stopped = false;

  async function once(): Promise<void> {
    try {
      await args.work();
    } catch (error) {
      args.log.error({ err: error, sweep: args.name }, 'sweep failed');
    }
  }

  function runNow(): Promise<void> {
    running ??= once().finally(() => {
      running = null;
    });
    return running;
  }

  async function runInTurn(): Promise<void> {
    const isTurn = args.isTurn ? await args.isTurn() : true;
    if (isTurn && !stopped) await runNow();
  }

  async function schedule(): Promise<void> {
    if (args.activity && !stopped) {
      isResting = true;
      await args.activity.untilActive();
      isResting = false;
    }
    if (stopped) return;
    scheduledAtMs = performance.now();
    timer = setTimeout(() => void runInTurn().then(schedule), args.intervalMs * (0.8 + Math.random() * 0.4));
  }

  void schedule();
  return {
    runNow,
    problem() {
      const hangs = !isResting && performance.now() - scheduledAtMs > hangsAfterMs;
      return hangs ? `${args.name} hangs` : null;
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}

export type Sweeps = {
  runAllNow(): Promise<void>;
  problem(): string | null;
  stop(): Promise<void>;
};

export function sweepGroup(sweeps: Sweep[]): Sweeps {
  const all = (work: (sweep: Sweep) => Promise<void>) => Promise.all(sweeps.map(work)).then(() => undefined);
  return {
    runAllNow: () => all((sweep) => sweep.runNow()),
    problem: () => sweeps.map((sweep) => sweep.problem()).find((problem) => problem !== null) ?? null,
    stop: () => all((sweep) => sweep.stop()),
  };
}
