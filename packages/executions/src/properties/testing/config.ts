import fc from 'fast-check';

const maxRunMs = 30_000;
const expectedRunMs = 3000;
const maxSearchMs = 60_000;
const maxReplayMs = 10_000;

/**
 * `PROPERTY_RUNS=1000` runs properties more often than `fewRuns`. `PROPERTY_SEED=-1234` or `PROPERTY_SEED=-1234/5:0:1`
 * repeats a failure by the seed and path that it has printed.
 */
export function propertyOptions(fewRuns: number): fc.Parameters<unknown> {
  const numRuns = Number(process.env['PROPERTY_RUNS'] ?? fewRuns);
  const [seed, path] = process.env['PROPERTY_SEED']?.split('/') ?? [];
  // A run that hangs is a failure. Shrinking a failure takes at most this time.
  const maxMs = path ? maxReplayMs : maxSearchMs + numRuns * expectedRunMs;
  return {
    numRuns,
    plugins: [
      // Starts with long lists of steps.
      fc.unbiased(),
      fc.timeout(maxRunMs),
      fc.interruptAfterTimeLimit(maxMs, { failOnInterrupt: !path }),
    ],
    ...(seed && { seed: Number(seed) }),
    // Otherwise fast-check would continue with smaller inputs.
    ...(path && { path, endOnFailure: true }),
  };
}
