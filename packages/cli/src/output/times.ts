import { UsageError } from '../usageError.ts';

const unitsMs: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `30m`, `2h`, `7d` ago, or a time as ISO 8601 has it; answered so. @throws UsageError */
export function sinceTime(text: string | undefined, nowMs: number = Date.now()): string | undefined {
  if (text === undefined) return undefined;
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (count !== undefined) return new Date(nowMs - Number(count) * (unitsMs[unit] ?? 0)).toISOString();
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isFinite(time)) return new Date(time).toISOString();
  throw new UsageError('--since needs a time such as 30m, 2h, 7d or 2026-03-20T10:30:00Z');
}

/** A time of the API as one reads it, in UTC: `2026-03-20 10:30:00`. */
export const shownTime = (time: string | null): string =>
  time === null ? '' : `${time.slice(0, 10)} ${time.slice(11, 19)}`;

/** Seconds as one reads them: `0.4 s`, `90 s`, `2.5 h`. */
export function shownSeconds(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 600) return `${Math.round(seconds)} s`;
  if (seconds < 36_000) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${(seconds / 3600).toFixed(1)} h` : `${Math.round(seconds / 86_400)} d`;
}
