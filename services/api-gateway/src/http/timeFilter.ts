import { z } from 'zod';

/** A time in a query that bounds what is listed. */
export function timeFilter(description: string) {
  return z.iso.datetime({ offset: true }).optional().describe(description);
}

export function toDate(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(text);
}
