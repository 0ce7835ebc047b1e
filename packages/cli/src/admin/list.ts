import { z } from 'zod';
import type { AdminApi } from './api.ts';

const page = z.looseObject({ has_more: z.boolean(), next_cursor: z.string().nullable() });

/** What the admin API's pages could fill. */
export type Listed<Item> = { data: Item[]; has_more: boolean };

/** At most `limit` of a list of the admin API, read page by page; its items stand under `field`. */
export async function readList<Item>(
  admin: AdminApi,
  path: string,
  args: { field?: string; query?: Record<string, string | undefined>; limit: number; item: z.ZodType<Item> },
): Promise<Listed<Item>> {
  const { field = 'data', query = {}, limit, item } = args;
  const data: Item[] = [];
  let cursor: string | undefined;
  for (;;) {
    const most = String(Math.min(100, limit - data.length));
    const answer = page.parse(await admin.ask('GET', path, { query: { ...query, limit: most, cursor } }));
    data.push(...z.array(item).parse(answer[field]));
    cursor = answer.next_cursor ?? undefined;
    if (!answer.has_more || cursor === undefined || data.length >= limit)
      return { data, has_more: answer.has_more };
  }
}
