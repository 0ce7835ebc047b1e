import fc from 'fast-check';

const longestRunMs = 30_000;
const usualRunMs = 3000;
const longestSearchMs = 60_000;
const longestReplayMs = 10_000;

/**
 * How often properties are run, and from which seed: `PROPERTY_RUNS=1000` for more than `fewRuns`; `PROPERTY_SEED=-1234`
 * or `PROPERTY_SEED=-1234/5:0:1`, the seed and the path that a failure has printed.
 */
export function propertyOptions(fewRuns: number): fc.Parameters<unknown> {
  const numRuns = Number(process.env['PROPERTY_RUNS'] ?? fewRuns);
  const [seed, path] = process.env['PROPERTY_SEED']?.split('/') ?? [];
  // What hangs is a failure. One that was found is made smaller for as long as this at most.
  const longestMs = path ? longestReplayMs : longestSearchMs + numRuns * usualRunMs;
  return {
    numRuns,
    plugins: [
      // Long lists of steps from the first run on.
      fc.unbiased(),
      fc.timeout(longestRunMs),
      fc.interruptAfterTimeLimit(longestMs, { failOnInterrupt: !path }),
    ],
    ...(seed && { seed: Number(seed) }),
    // Where nothing fails any more, fast-check goes on with what is smaller.
    ...(path && { path, endOnFailure: true }),
  };
}
