import { textsOf } from '../features/search/filters.ts';

export const usageRanges = ['month', 'last_month', '7d', '30d'] as const;
export const usageGroupings = ['model', 'api_key', 'metadata'] as const;

/** `key`: the member of the metadata, with `by: 'metadata'`. */
export type UsageSearch = {
  range?: (typeof usageRanges)[number];
  by?: (typeof usageGroupings)[number];
  key?: string;
};

export function usageSearchOf(search: Record<string, unknown>): UsageSearch {
  const range = usageRanges.find((one) => one === search['range']);
  const by = usageGroupings.find((one) => one === search['by']);
  return { ...textsOf(search, ['key']), ...(range && { range }), ...(by && { by }) };
}

const dayMs = 86_400_000;
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** Days of UTC, as `GET /v1/usage` takes them; without an end: until now. */
export function periodOf(
  range: NonNullable<UsageSearch['range']>,
  nowMs: number,
): { from?: string; to?: string } {
  const month = dayOf(nowMs).slice(0, 7);
  const first = `${month}-01`;
  switch (range) {
    case 'month':
      return { from: first };
    case 'last_month':
      return { from: `${dayOf(Date.parse(first) - dayMs).slice(0, 7)}-01`, to: first };
    case '7d':
      return { from: dayOf(nowMs - 6 * dayMs) };
    case '30d':
      return { from: dayOf(nowMs - 29 * dayMs) };
  }
}

/** Every day of a period, also those on which nothing ran. */
export function daysOf({ from, to }: { from: string; to: string }): string[] {
  const days: string[] = [];
  for (let ms = Date.parse(from); ms < Date.parse(to); ms += dayMs) days.push(dayOf(ms));
  return days;
}
