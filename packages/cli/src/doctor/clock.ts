import { shownSeconds } from '../output/times.ts';
import type { Finding } from './finding.ts';

const noticedMs = 2000;
const harmfulMs = 30_000;

/** How far the clock of a server is from this machine's. */
export function clockFinding(
  check: string,
  { timeMs, askedMs }: { timeMs: number; askedMs: { from: number; to: number } },
): Finding {
  const early = askedMs.from - timeMs;
  const late = timeMs - askedMs.to;
  const skewMs = Math.max(0, early, late);
  const found = `${shownSeconds(skewMs / 1000)} apart from this machine's`;
  if (skewMs < noticedMs) return { state: 'ok', check, found };
  const mend = 'set the clocks of all machines by NTP: signatures and signed URLs hold for minutes';
  return { state: skewMs < harmfulMs ? 'warn' : 'fail', check, found, mend };
}
