import { setTimeout as delay } from 'node:timers/promises';

/**
 * Begins a script. While one waits for a table that a backup or an audit reads, everybody else who asks for that table
 * waits behind it: so it gives up after as long as requests can wait, and `patiently` starts it again.
 */
export const briefly = "SET LOCAL lock_timeout = '1s';";

const againAfterMs = 2000;
const usuallyGiveUpAfterMs = 600_000;
/** PostgreSQL's lock_not_available. */
const lockedOut = '55P03';

/** Runs a script that begins with `briefly`, again and again until it gets its locks. @throws when that takes too long */
export async function patiently<Result>(
  work: () => Promise<Result>,
  giveUpAfterMs = usuallyGiveUpAfterMs,
): Promise<Result> {
  const begunMs = performance.now();
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (Object(error).code !== lockedOut) throw error;
      if (performance.now() - begunMs > giveUpAfterMs) throw stillLocked(error, giveUpAfterMs);
      await delay(againAfterMs);
    }
  }
}

function stillLocked(error: unknown, afterMs: number): unknown {
  const reason = `for ${afterMs / 60_000} min the tables were in use, by a backup perhaps: try again when it has ended`;
  return Object.assign(Object(error), { message: `${Object(error).message}: ${reason}` });
}
