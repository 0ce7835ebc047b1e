import { setTimeout as delay } from 'node:timers/promises';

/** Resolves with the first result that is not null, undefined or false. Rejects after `timeoutMs`. */
export async function until<Value>(
  what: string,
  look: () => Value | Promise<Value>,
  timeoutMs = 30_000,
): Promise<Exclude<Value, null | undefined | false>> {
  const deadlineMs = performance.now() + timeoutMs;
  for (;;) {
    // Read before the look, so that the last one comes after the deadline, however long this process was held up.
    const isLast = performance.now() > deadlineMs;
    const value = await look();
    if (value !== null && value !== undefined && value !== false) {
      return value as Exclude<Value, null | undefined | false>;
    }
    if (isLast) throw new Error(`timed out waiting for: ${what}`);
    await delay(20);
  }
}
