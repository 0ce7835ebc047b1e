import type { Logger } from './logger.ts';
import { type Sweep, startSweep, type Turn } from './sweep.ts';

/** Gauges that have to be asked for. */
export type Reading = {
  read(): Promise<void>;
  /** Shows nothing, for what was read is not true any more. */
  forget(): void;
};

/** About as often as they are scraped. */
const readEveryMs = 15_000;

/** Keeps gauges fresh at the copy of a service that leads; the others show nothing, as all do while they can't be read. */
export function startReadings(args: {
  name: string;
  leads: Turn;
  readings: Reading[];
  log: Logger;
  intervalMs?: number;
}): Sweep {
  const { name, leads, readings, log, intervalMs = readEveryMs } = args;

  async function work(): Promise<void> {
    const isOurs = await leads();
    for (const reading of readings) {
      if (!isOurs) reading.forget();
      else await readOrForget(reading);
    }
  }

  const sweep = startSweep({ name, intervalMs, log, work });
  void sweep.runNow();
  return sweep;
}

async function readOrForget(reading: Reading): Promise<void> {
  try {
    await reading.read();
  } catch (error) {
    reading.forget();
    throw error;
  }
}
