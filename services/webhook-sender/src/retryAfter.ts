const maxS = 3600;

/** Seconds a `Retry-After` header asks for, as a number or a date; 0 without one, at most an hour. */
export function retryAfterS(header: string | undefined, nowMs = Date.now()): number {
  const text = header?.trim() ?? '';
  if (text === '') return 0;
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - nowMs) / 1000;
  return Number.isNaN(seconds) ? 0 : Math.min(Math.max(seconds, 0), maxS);
}
