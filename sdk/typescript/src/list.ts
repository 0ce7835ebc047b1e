import type { Call, Http, RequestOptions } from './http.ts';

/** One page of a list. */
export type Page<Item> = { items: Item[]; hasMore: boolean; nextCursor: string | null };

type Paged = { has_more?: boolean; next_cursor?: string | null };

/** A list of any length: `for await (const item of list)` reads page after page. */
export class List<Item> implements AsyncIterable<Item> {
  readonly #read: (cursor: string | undefined) => Promise<Page<Item>>;

  constructor(read: (cursor: string | undefined) => Promise<Page<Item>>) {
    this.#read = read;
  }

  /** One page: the first, or the one of `nextCursor` of the page before. */
  page(cursor?: string): Promise<Page<Item>> {
    return this.#read(cursor);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    let cursor: string | undefined;
    for (;;) {
      const page = await this.#read(cursor);
      yield* page.items;
      // A server that repeats a cursor must not make this endless.
      if (!page.hasMore || page.nextCursor === null || page.nextCursor === cursor) return;
      cursor = page.nextCursor;
    }
  }

  /** The first `limit` items, or all. */
  async toArray(limit = Number.POSITIVE_INFINITY): Promise<Item[]> {
    const items: Item[] = [];
    if (!(limit > 0)) return items;
    for await (const item of this) {
      items.push(item);
      if (items.length >= limit) break;
    }
    return items;
  }
}

/** The list behind a GET whose pages have their items in the field `field`. */
export function listOf<Item>(
  http: Http,
  call: Omit<Call, 'method'>,
  field: string,
  options?: RequestOptions,
): List<Item> {
  return new List(async (cursor) => {
    const query = { ...call.query, ...(cursor !== undefined && { cursor }) };
    // A body without items did not come from the service: it is not an empty list.
    const isExpected = (body: object) => Array.isArray((body as Record<string, unknown>)[field]);
    const page = { ...call, method: 'GET', query, isExpected } as const;
    const body = await http.json<Paged & Record<string, unknown>>(page, options);
    return {
      items: body[field] as Item[],
      hasMore: body.has_more ?? false,
      nextCursor: body.next_cursor ?? null,
    };
  });
}
