import { z } from 'zod';

const time = z.union([z.iso.datetime({ offset: true }), z.iso.date()]);

/** ISO 8601 with a time zone, or a date, which means its first moment in UTC: as `new Date` reads them. */
export function isTime(text: string): boolean {
  // The database has no year 0.
  return !text.startsWith('0000') && time.safeParse(text).success;
}
