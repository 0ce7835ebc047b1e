import { z } from 'zod';

/** A time that a client gives, with its zone. */
export function givenTime() {
  return z.iso.datetime({ offset: true, error: 'must be a time as 2026-03-20T10:30:00Z' });
}

/** A time in a query that bounds what is listed. */
export function timeFilter(description: string) {
  return givenTime().optional().describe(description);
}

export function toDate(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(text);
}
