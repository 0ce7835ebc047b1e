import { type Http, has, type RequestOptions } from './http.ts';
import { type List, listOf } from './list.ts';
import type { ResponsePromise } from './responsePromise.ts';
import type {
  CreatedWebhookEndpoint,
  Delivery,
  Recovered,
  RotatedWebhookSecret,
  TestCallResult,
  WebhookEndpoint,
  WebhookEndpointActivity,
  WebhookEndpointBacklog,
  WebhookEndpointChanges,
  WebhookEndpointRequest,
  WebhookSecret,
} from './types.ts';
import type { WebhookEvent } from './webhookEvents.ts';
import { sign, unwrap } from './webhooks.ts';

export type RotationOptions = {
  /** `old`: `X-Signature` uses the previous secret for the 24 hours in which both are valid. */
  keep_primary?: 'old';
  /** `now`: the previous secret is invalid at once. */
  expire_previous?: 'now';
};

type ListFilter = { created_after?: string; created_before?: string; limit?: number };
export type DeliveryFilter = ListFilter & { status?: string; event_type?: string; attempted?: boolean };
export type EventFilter = ListFilter & {
  type?: string;
  execution_id?: string;
  endpoint_id?: string;
  undelivered?: boolean;
  order?: 'asc' | 'desc';
};

const pathOf = (id: string) => `/v1/webhooks/endpoints/${encodeURIComponent(id)}`;

export class WebhookEndpoints {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /** Registers an endpoint. Its secret is shown once, so the request is not repeated after it may have been done. */
  create(body: WebhookEndpointRequest, options?: RequestOptions): ResponsePromise<CreatedWebhookEndpoint> {
    return this.#http.json(
      { method: 'POST', path: '/v1/webhooks/endpoints', body, isExpected: has('id', 'secret') },
      options,
    );
  }

  list(options?: RequestOptions): List<WebhookEndpoint> {
    return listOf(this.#http, { path: '/v1/webhooks/endpoints' }, 'endpoints', options);
  }

  get(id: string, options?: RequestOptions): ResponsePromise<WebhookEndpoint> {
    return this.#http.json({ method: 'GET', path: pathOf(id), isExpected: has('id', 'url') }, options);
  }

  /** Attempts and their duration by hour, for the last 24 hours. */
  activity(id: string, options?: RequestOptions): ResponsePromise<WebhookEndpointActivity> {
    return this.#http.json(
      { method: 'GET', path: `${pathOf(id)}/activity`, isExpected: has('hours') },
      options,
    );
  }

  /** What waits for the endpoint, since when it is off, and what its receiver responded last. */
  backlog(id: string, options?: RequestOptions): ResponsePromise<WebhookEndpointBacklog> {
    return this.#http.json(
      { method: 'GET', path: `${pathOf(id)}/backlog`, isExpected: has('waiting') },
      options,
    );
  }

  update(
    id: string,
    changes: WebhookEndpointChanges,
    options?: RequestOptions,
  ): ResponsePromise<WebhookEndpoint> {
    return this.#http.json(
      { method: 'PATCH', path: pathOf(id), body: changes, isExpected: has('id', 'url') },
      options,
    );
  }

  delete(id: string, options?: RequestOptions): ResponsePromise<{ id: string; deleted: boolean }> {
    const goneBody = { id, deleted: true };
    return this.#http.json(
      { method: 'DELETE', path: pathOf(id), goneBody, isExpected: has('deleted') },
      options,
    );
  }

  rotateSecret(
    id: string,
    rotation: RotationOptions = {},
    options?: RequestOptions,
  ): ResponsePromise<RotatedWebhookSecret> {
    return this.#http.json(
      { method: 'POST', path: `${pathOf(id)}/rotate-secret`, query: rotation, isExpected: has('secret') },
      options,
    );
  }

  /**
   * Sends a test event and returns the response of the endpoint. `type`: an example of this type, with `test: true`; default:
   * `webhook.test`.
   */
  test(
    id: string,
    { type, ...options }: RequestOptions & { type?: string } = {},
  ): ResponsePromise<TestCallResult> {
    const body = type === undefined ? {} : { type };
    return this.#http.json(
      { method: 'POST', path: `${pathOf(id)}/test`, body, isExpected: has('success') },
      options,
    );
  }

  deliveries(id: string, filter: DeliveryFilter = {}, options?: RequestOptions): List<Delivery> {
    return listOf(this.#http, { path: `${pathOf(id)}/deliveries`, query: filter }, 'deliveries', options);
  }

  /** Sends failed deliveries and missed events since a time once more. Repeat it while `has_more` is true. */
  recover(id: string, since: string | Date, options?: RequestOptions): ResponsePromise<Recovered> {
    const body = { since: typeof since === 'string' ? since : since.toISOString() };
    return this.#http.json(
      {
        method: 'POST',
        path: `${pathOf(id)}/recover`,
        body,
        isRepeatable: true,
        isExpected: has('redelivered'),
      },
      options,
    );
  }
}

export class WebhookDeliveries {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /** The deliveries of one execution. */
  list(executionId: string, filter: DeliveryFilter = {}, options?: RequestOptions): List<Delivery> {
    const query = { ...filter, execution_id: executionId };
    return listOf(this.#http, { path: '/v1/webhooks/deliveries', query }, 'deliveries', options);
  }

  get(id: string, options?: RequestOptions): ResponsePromise<Delivery> {
    return this.#http.json(
      {
        method: 'GET',
        path: `/v1/webhooks/deliveries/${encodeURIComponent(id)}`,
        isExpected: has('id', 'event_type'),
      },
      options,
    );
  }

  redeliver(id: string, options?: RequestOptions): ResponsePromise<Delivery> {
    const path = `/v1/webhooks/deliveries/${encodeURIComponent(id)}/redeliver`;
    return this.#http.json({ method: 'POST', path, isExpected: has('id', 'event_type') }, options);
  }
}

export class WebhookEvents {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /** Events as webhooks deliver them, newest first unless `order` is `asc`. */
  list(filter: EventFilter = {}, options?: RequestOptions): List<WebhookEvent> {
    return listOf(this.#http, { path: '/v1/events', query: filter }, 'data', options);
  }

  get(id: string, options?: RequestOptions): ResponsePromise<WebhookEvent> {
    return this.#http.json(
      { method: 'GET', path: `/v1/events/${encodeURIComponent(id)}`, isExpected: has('id', 'type') },
      options,
    );
  }
}

export class Webhooks {
  readonly endpoints: WebhookEndpoints;
  readonly deliveries: WebhookDeliveries;
  readonly events: WebhookEvents;
  readonly unwrap = unwrap;
  readonly sign = sign;
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
    this.endpoints = new WebhookEndpoints(http);
    this.deliveries = new WebhookDeliveries(http);
    this.events = new WebhookEvents(http);
  }

  /** The secret that signs deliveries to the `webhookUrl` of an execution. */
  secret(options?: RequestOptions): ResponsePromise<WebhookSecret> {
    return this.#http.json(
      { method: 'GET', path: '/v1/webhooks/secret', isExpected: has('secret') },
      options,
    );
  }

  rotateSecret(rotation: RotationOptions = {}, options?: RequestOptions): ResponsePromise<WebhookSecret> {
    return this.#http.json(
      { method: 'POST', path: '/v1/webhooks/secret/rotate', query: rotation, isExpected: has('secret') },
      options,
    );
  }
}
