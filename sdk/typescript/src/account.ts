import { type Http, has, type RequestOptions } from './http.ts';
import { type List, listOf } from './list.ts';
import type { ResponsePromise } from './responsePromise.ts';
import type {
  ApiKey,
  ApiKeyRequest,
  Balance,
  CreatedApiKey,
  Model,
  PortalSession,
  PortalSessionRequest,
  RevokedApiKey,
  RevokedPortalSession,
  RotatedApiKey,
  Transaction,
  Usage,
} from './types.ts';

export class ModelCatalogue {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /** The models that the key may use, ordered by slug. */
  list(options?: RequestOptions): List<Model> {
    return listOf(this.#http, { path: '/v1/models' }, 'data', options);
  }

  get(slug: string, options?: RequestOptions): ResponsePromise<Model> {
    return this.#http.json(
      { method: 'GET', path: `/v1/models/${encodeURIComponent(slug)}`, isExpected: has('slug') },
      options,
    );
  }
}

export type TransactionFilter = {
  kind?: string;
  execution_id?: string;
  created_after?: string;
  created_before?: string;
  limit?: number;
};

export class Account {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /** What is available, held and in total. Amounts are decimal texts: never parse them as floating-point numbers. */
  get(options?: RequestOptions): ResponsePromise<Balance> {
    return this.#http.json({ method: 'GET', path: '/v1/balance', isExpected: has('available') }, options);
  }

  /** What changed the balance, newest first. */
  transactions(filter: TransactionFilter = {}, options?: RequestOptions): List<Transaction> {
    return listOf(this.#http, { path: '/v1/balance/transactions', query: filter }, 'data', options);
  }
}

/** `tz`: the time zone of days, such as `Europe/Berlin`. `metadata_key`: whose values, with `group_by: 'metadata'`. */
export type UsageFilter = {
  from?: string;
  to?: string;
  group_by?: string;
  tz?: string;
  metadata_key?: string;
};

/** Executions and their cost in a period, for example by model. */
export function readUsage(http: Http, filter: UsageFilter, options?: RequestOptions): ResponsePromise<Usage> {
  return http.json({ method: 'GET', path: '/v1/usage', query: filter, isExpected: has('data') }, options);
}

/** Keys are shown once, so creating and rotating one is never repeated after it may have been done. */
export class ApiKeys {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  list(options?: RequestOptions): List<ApiKey> {
    return listOf(this.#http, { path: '/v1/api-keys' }, 'data', options);
  }

  create(body: ApiKeyRequest, options?: RequestOptions): ResponsePromise<CreatedApiKey> {
    return this.#http.json(
      { method: 'POST', path: '/v1/api-keys', body, isExpected: has('id', 'key') },
      options,
    );
  }

  /** Replaces the value of a key. The previous value works for another hour. */
  rotate(id: string, options?: RequestOptions): ResponsePromise<RotatedApiKey> {
    return this.#http.json(
      { method: 'POST', path: `/v1/api-keys/${encodeURIComponent(id)}/rotate`, isExpected: has('new_key') },
      options,
    );
  }

  /**
   * Revokes a key. If it is the one in use and the response is lost, the next try throws `AuthenticationError`: the key no
   * longer works.
   */
  revoke(id: string, options?: RequestOptions): ResponsePromise<RevokedApiKey> {
    return this.#http.json(
      { method: 'DELETE', path: `/v1/api-keys/${encodeURIComponent(id)}`, isExpected: has('revoked') },
      options,
    );
  }
}

/** Links are shown once, so creating a session is never repeated after it may have been done. */
export class PortalSessions {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /** A link that opens the portal of your organization once, within 10 minutes. Never log it. */
  create(body: PortalSessionRequest, options?: RequestOptions): ResponsePromise<PortalSession> {
    return this.#http.json(
      { method: 'POST', path: '/v1/portal-sessions', body, isExpected: has('url') },
      options,
    );
  }

  /** Ends a session, or makes its link invalid. */
  revoke(id: string, options?: RequestOptions): ResponsePromise<RevokedPortalSession> {
    return this.#http.json(
      { method: 'DELETE', path: `/v1/portal-sessions/${encodeURIComponent(id)}`, isExpected: has('revoked') },
      options,
    );
  }
}
