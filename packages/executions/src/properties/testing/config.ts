import type fc from 'fast-check';

const fewRuns = 25;

/**
 * How often properties are run, and from which seed: `PROPERTY_RUNS=1000`; `PROPERTY_SEED=-1234` or
 * `PROPERTY_SEED=-1234/5:0:1`, the seed and the path that a failure has printed.
 */
export function propertyOptions(): fc.Parameters<unknown> {
  const numRuns = Number(process.env['PROPERTY_RUNS'] ?? fewRuns);
  const [seed, path] = process.env['PROPERTY_SEED']?.split('/') ?? [];
  return {
    numRuns,
    // Long lists of steps from the first run on.
    unbiased: true,
    // A failure is made smaller for as long as this at most.
    interruptAfterTimeLimit: 120_000 + numRuns * 10_000,
    ...(seed && { seed: Number(seed) }),
    ...(path && { path }),
  };
}
