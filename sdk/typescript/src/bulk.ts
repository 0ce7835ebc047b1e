import { HoldfastError } from './errors.ts';
import { type Http, has, type RequestOptions } from './http.ts';

type Part = { has_more: boolean; next_cursor: string | null };

/**
 * Sends a request about many executions, which does a part each time, until nothing is left, and adds the parts up to one
 * response. Each part can be sent again. An error carries `idempotencyKey`, by which the rest is done as if nothing had happened.
 */
export async function allParts<Body extends Part>(
  http: Http,
  path: string,
  body: object,
  options: RequestOptions = {},
  key?: Promise<string>,
): Promise<Body> {
  // Now: the caller may change the object before the last part is sent.
  const asked = structuredClone(body);
  const idempotencyKey = await key;
  const headers: Record<string, string> = idempotencyKey ? { 'Idempotency-Key': idempotencyKey } : {};
  const call = { method: 'POST', path, headers, isRepeatable: true, isExpected: has('matched') } as const;
  let sum: Body | undefined;
  try {
    for (let cursor: string | undefined; ; ) {
      const part = await http.json<Body>({ ...call, body: { ...asked, cursor } }, options);
      sum = sum ? added(sum, part) : part;
      const next = part.has_more ? part.next_cursor : null;
      // A server that repeats a cursor must not make this endless.
      if (next === null || next === cursor) return { ...sum, has_more: false, next_cursor: null };
      cursor = next;
    }
  } catch (error) {
    if (error instanceof HoldfastError) error.idempotencyKey = idempotencyKey ?? null;
    throw error;
  }
}

/** Counts are added, lists joined. */
function added<Body extends Part>(sum: Body, part: Body): Body {
  const before = sum as Record<string, unknown>;
  const joined = Object.entries(part).map(([name, value]): [string, unknown] => {
    if (typeof value === 'number') return [name, Number(before[name]) + value];
    return [name, Array.isArray(value) ? (before[name] as unknown[]).concat(value) : value];
  });
  return Object.fromEntries(joined) as Body;
}
