import { parseJson } from '@holdfast/domain/json';
import { UsageError } from '@holdfast/kit/flags';
import { reasonOf } from '@holdfast/kit/within';
import { z } from 'zod';
import type { AdminAccess } from '../config.ts';
import { RefusedError } from '../errors.ts';

type RequestOptions = {
  query?: Record<string, string | undefined>;
  body?: object;
  headers?: Record<string, string>;
  onReplay?: () => void;
};

export type AdminApi = {
  /** `path` is below `/admin/v1`; `onReplay` precedes a replayed response. @throws RefusedError, or Error when unreachable */
  request(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    options?: RequestOptions,
  ): Promise<unknown>;
};

const responseWithinMs = 30_000;

export function openAdminApi({ url, token }: AdminAccess, stopped?: AbortSignal): AdminApi {
  return {
    async request(method, path, { query = {}, body, headers = {}, onReplay } = {}) {
      const target = new URL(`${url}/admin/v1${path}`);
      for (const [name, value] of Object.entries(query))
        if (value !== undefined) target.searchParams.set(name, value);
      const late = AbortSignal.timeout(responseWithinMs);
      const response = await send(url, target, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
        body: body ? JSON.stringify(body) : null,
        signal: stopped ? AbortSignal.any([stopped, late]) : late,
      });
      if (response.headers.get('idempotent-replayed') === 'true') onReplay?.();
      return await bodyOf(url, response);
    },
  };
}

async function send(url: string, target: URL, init: RequestInit): Promise<Response> {
  try {
    return await fetch(target, init);
  } catch (error) {
    const cause = error instanceof Error && error.cause ? error.cause : error;
    throw new Error(
      `cannot reach the admin API at ${url}: ${reasonOf(cause)}. Does the gateway run there, on its ADMIN_PORT?`,
      { cause: error },
    );
  }
}

const errorBody = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    details: z.array(z.object({ field: z.string(), message: z.string() })).optional(),
  }),
});

/** The gateway's message for an unknown path. */
const unknownPath = 'There is nothing at this path.';

async function bodyOf(url: string, response: Response): Promise<unknown> {
  const body = parsed(await response.text());
  if (response.ok) return body;
  if (response.status === 401)
    throw new Error(`the admin API at ${url} refused the token: set ADMIN_TOKEN to the gateway's`);
  const refused = errorBody.safeParse(body);
  if (!refused.success)
    throw new Error(`the admin API at ${url} returned ${response.status}: is it the gateway's ADMIN_PORT?`);
  const { code, message, details = [] } = refused.data.error;
  if (message === unknownPath)
    throw new Error(`there is no admin API at ${url}: is it the gateway's ADMIN_PORT, and of this version?`);
  // Often the message repeats the only field's, and most fields' messages begin with their name.
  const problems = details
    .map((one) => (one.message.startsWith(one.field) ? one.message : `${one.field}: ${one.message}`))
    .filter((problem) => problem !== message && !problem.endsWith(`: ${message}`));
  const text = `${message} (${[code, ...problems].join('; ')})`;
  if (response.status >= 500) throw new Error(text);
  throw new RefusedError(text);
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** A path below `/admin/v1`; its parts are escaped. @throws UsageError for one that would lead to another path */
export function adminPath(...parts: string[]): string {
  const invalid = parts.find((part) => /^\.{0,2}$/.test(part));
  if (invalid !== undefined) throw new UsageError(`"${invalid}" is not an id`);
  return parts.map((part) => `/${encodeURIComponent(part)}`).join('');
}

export const webhooksPath = (org: string, ...rest: string[]) =>
  adminPath('organizations', org, 'webhooks', ...rest);

const page = z.looseObject({ has_more: z.boolean(), next_cursor: z.string().nullable() });

/** What was read of a list; `has_more`: there is more than was asked for. */
type List<Item> = { data: Item[]; has_more: boolean };

/** At most `limit` items of a list, read page by page; they are in `field` of each page. */
export async function readList<Item>(
  admin: AdminApi,
  path: string,
  args: { field?: string; query?: Record<string, string | undefined>; limit: number; item: z.ZodType<Item> },
): Promise<List<Item>> {
  const { field = 'data', query = {}, limit, item } = args;
  const data: Item[] = [];
  let cursor: string | undefined;
  for (;;) {
    const pageSize = String(Math.min(100, limit - data.length));
    const body = page.parse(
      await admin.request('GET', path, { query: { ...query, limit: pageSize, cursor } }),
    );
    data.push(...z.array(item).parse(body[field]));
    cursor = body.next_cursor ?? undefined;
    if (!body.has_more || cursor === undefined || data.length >= limit)
      return { data, has_more: body.has_more };
  }
}
