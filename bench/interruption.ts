export class Interrupted extends Error {}

/** Rejects at the first signal. */
export function interruption(): Promise<never> {
  return new Promise((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => reject(new Interrupted(`ended by ${signal}`)));
    }
  });
}
