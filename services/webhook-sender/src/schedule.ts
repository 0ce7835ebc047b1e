const jitter = 0.2;

/**
 * Seconds until the attempt after the `attempts`-th (spec, "Events" 5): as the schedule says, +-20 %, but not before
 * the receiver asked for it. Null when that was the last.
 */
export function nextDelayS(args: {
  attempts: number;
  delaysS: number[];
  retryAfterS: number;
  random?: () => number;
}): number | null {
  const { attempts, delaysS, random = Math.random } = args;
  const delayS = delaysS[attempts];
  if (delayS === undefined) return null;
  return Math.max(delayS * (1 - jitter + 2 * jitter * random()), args.retryAfterS);
}
