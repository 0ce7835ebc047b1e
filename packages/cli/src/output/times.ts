import { isTime } from '@holdfast/domain/times';
import { UsageError } from '@holdfast/kit/flags';

const unitsMs: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `30m`, `2h`, `7d` ago, an ISO 8601 time or a date (00:00 UTC), as ISO 8601. @throws UsageError */
export function sinceTime(text: string | undefined, nowMs: number = Date.now()): string | undefined {
  if (text === undefined) return undefined;
  const timeMs = timeOf(text, nowMs, -1);
  if (Number.isFinite(timeMs)) return new Date(timeMs).toISOString();
  throw new UsageError('--since needs a time such as 30m, 2h, 7d, 2026-03-20T10:30:00Z or 2026-03-20');
}

/** The same in the future. @throws UsageError for an invalid or past time */
export function untilTime(text: string | undefined, nowMs: number = Date.now()): string | undefined {
  if (text === undefined) return undefined;
  const timeMs = timeOf(text, nowMs, 1);
  if (timeMs > nowMs) return new Date(timeMs).toISOString();
  throw new UsageError('--expires needs a future time such as 90d, 2027-01-01T00:00:00Z or 2027-01-01');
}

/** In ms since 1970, a span counted from now in this direction; NaN for an invalid time. */
function timeOf(text: string, nowMs: number, direction: 1 | -1): number {
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (count !== undefined) return nowMs + direction * Number(count) * (unitsMs[unit] ?? 0);
  return isTime(text) ? Date.parse(text) : Number.NaN;
}

/** A time of the API, for a column with UTC in its title: `2026-03-20 10:30:00`. */
export const shownUtc = (time: string): string => `${time.slice(0, 10)} ${time.slice(11, 19)}`;

/** A time of the API: `2026-03-20 10:30:00 UTC`. */
export const shownTime = (time: string | null): string => (time === null ? '' : `${shownUtc(time)} UTC`);

/** `0.4 s`, `90 s`, `2.5 h` */
export function shownSeconds(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 600) return `${Math.round(seconds)} s`;
  if (seconds < 36_000) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${(seconds / 3600).toFixed(1)} h` : `${Math.round(seconds / 86_400)} d`;
}

/** The age of a time of the API, by the clock of this machine: `90 s`. */
export const shownAge = (time: string | null): string =>
  time === null ? '' : shownSeconds(Math.max(0, Date.now() - Date.parse(time)) / 1000);
