import { setTimeout as delay } from 'node:timers/promises';

/**
 * Whoever comes after a script that waits for a table waits, too: services for as long as an audit or a backup reads. So a
 * script waits for no longer than requests can, and comes again.
 */
export const briefly = "SET LOCAL lock_timeout = '1s';";

const againAfterMs = 2000;
const usuallyGiveUpAfterMs = 600_000;
/** PostgreSQL's lock_not_available. */
const lockedOut = '55P03';

/** Does what begins with `briefly`, again while it did not get its locks. @throws when that goes on for too long */
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
