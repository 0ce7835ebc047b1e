import type { Answer } from './connection.ts';

/** A provider that asks for longer is asked once in so long. */
export const longestRetryAfterMs = 600_000;

/** Whole milliseconds that an answer asks us to wait (`retry-after-ms`, `retry-after` in seconds or as a date), at most ten minutes. */
export function retryAfterMs(headers: Answer['headers'], otherwiseMs: number): number {
  const ms = positive(headers['retry-after-ms']);
  const seconds = positive(headers['retry-after']);
  const date = Date.parse(headers['retry-after'] ?? '') - Date.now();
  const asked = ms ?? (seconds === null ? null : seconds * 1000) ?? (Number.isNaN(date) ? otherwiseMs : date);
  return Math.ceil(Math.min(Math.max(asked, 0), longestRetryAfterMs));
}

function positive(header: string | string[] | undefined): number | null {
  return typeof header === 'string' && /^\d+(\.\d+)?$/.test(header.trim()) ? Number(header) : null;
}
