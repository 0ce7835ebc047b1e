import { reasonOf } from '@holdfast/kit/within';
import { z } from 'zod';
import type { AdminAccess } from '../config.ts';
import { RefusedError } from './refusedError.ts';

export type Asked = {
  query?: Record<string, string | undefined>;
  body?: object;
  headers?: Record<string, string>;
  onReplay?: () => void;
};

export type AdminApi = {
  /**
   * The body of the admin API's response; `path` is below `/admin/v1`. `onReplay` is called first when an earlier request
   * under the same idempotency key had this response.
   * @throws RefusedError for what it refuses; an Error when it is not reached, or refuses the token
   */
  ask(method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, asked?: Asked): Promise<unknown>;
};

const answerWithinMs = 30_000;

/** `stopped`, when it comes, ends what is being asked. */
export function openAdminApi({ url, token }: AdminAccess, stopped?: AbortSignal): AdminApi {
  return {
    async ask(method, path, { query = {}, body, headers = {}, onReplay } = {}) {
      const target = new URL(`${url}/admin/v1${path}`);
      for (const [name, value] of Object.entries(query))
        if (value !== undefined) target.searchParams.set(name, value);
      const own = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const late = AbortSignal.timeout(answerWithinMs);
      const init = {
        method,
        headers: { ...own, ...headers },
        body: body ? JSON.stringify(body) : null,
        signal: stopped ? AbortSignal.any([stopped, late]) : late,
      };
      const response = await reached(url, target, init);
      if (response.headers.get('idempotent-replayed') === 'true') onReplay?.();
      return await answerOf(url, response);
    },
  };
}

async function reached(url: string, target: URL, init: RequestInit): Promise<Response> {
  try {
    return await fetch(target, init);
  } catch (error) {
    const cause = error instanceof Error && error.cause ? error.cause : error;
    throw new Error(
      `the admin API at ${url} is not reached: ${reasonOf(cause)}. Does the gateway run there, on its ADMIN_PORT?`,
      { cause: error },
    );
  }
}

const refusal = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    details: z.array(z.object({ field: z.string(), message: z.string() })).optional(),
  }),
});

async function answerOf(url: string, response: Response): Promise<unknown> {
  const text = await response.text();
  if (response.ok) return parsed(text);
  if (response.status === 401)
    throw new Error(`the admin API at ${url} refuses the token: set ADMIN_TOKEN as the gateway has it`);
  const said = refusal.safeParse(parsed(text));
  if (!said.success)
    throw new Error(`the admin API at ${url} answered ${response.status}: is it the gateway's ADMIN_PORT?`);
  const { code, message, details = [] } = said.data.error;
  if (message === nothingThere)
    throw new Error(`there is no admin API at ${url}: is it the gateway's ADMIN_PORT, and of this version?`);
  // Often the message is that of the only field, and most fields are named by theirs.
  const places = details
    .map((one) => (one.message.startsWith(one.field) ? one.message : `${one.field}: ${one.message}`))
    .filter((place) => place !== message && !place.endsWith(`: ${message}`));
  const words = `${message} (${[code, ...places].join('; ')})`;
  if (response.status >= 500) throw new Error(words);
  throw new RefusedError(words);
}

/** The gateway's words for a path that it does not have. */
const nothingThere = 'There is nothing at this path.';

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
