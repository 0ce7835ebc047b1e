import { shownSeconds } from '../output/times.ts';
import type { Finding } from './finding.ts';

const warningMs = 2000;
const errorMs = 30_000;

/** How far the clock of a server is from this machine's. */
export function clockFinding(
  check: string,
  { timeMs, askedMs }: { timeMs: number; askedMs: { from: number; to: number } },
): Finding {
  const early = askedMs.from - timeMs;
  const late = timeMs - askedMs.to;
  const skewMs = Math.max(0, early, late);
  const found = `${shownSeconds(skewMs / 1000)} apart from this machine's`;
  if (skewMs < warningMs) return { state: 'ok', check, found };
  const fix = 'set the clocks of all machines by NTP: signatures and signed URLs are valid for minutes';
  return { state: skewMs < errorMs ? 'warning' : 'error', check, found, fix, runbook: 'doctor#clocks' };
}
