import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { FoundApiKey } from '@holdfast/db/apiKeys';
import type { ApiKeyScope } from '@holdfast/domain/apiKey';
import type { ErrorCode } from '@holdfast/domain/errors';
import type { z } from 'zod';
import type { Context } from '../context.ts';
import type { Table } from './csv.ts';

/** Who is calling, once the key is known. */
export type Caller = Omit<FoundApiKey, 'validForMs'>;

export type RawRequest = { request: IncomingMessage; response: ServerResponse };

export type EndpointRequest<Params, Query, Body> = {
  context: Context;
  caller: Caller;
  params: Params;
  query: Query;
  body: Body;
  headers: IncomingMessage['headers'];
  /** For what the request begins to belong to its trace; null: none. */
  traceparent: string | null;
  /** For endpoints that stream their answer. */
  raw: RawRequest;
};

/** A longer body than `maxBytes` is refused. */
export type RawBodyLimits = { bufferedBytes: number; maxBytes: number };

export type Reply = {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
  /** The body for clients that prefer text/csv. */
  table?: Table;
};

export type EndpointAnswer = {
  description: string;
  schema: z.ZodType | null;
  csv?: string;
  eventStream?: string;
};

/** One endpoint: path, schemas and handler together. The OpenAPI document is made from the same object. */
export type Endpoint = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With `{name}` parameters, e.g. `/v1/executions/{id}`. */
  path: string;
  tag: string;
  summary: string;
  description?: string;
  /** What a key must be allowed to; `any` key will do. */
  scope: ApiKeyScope | 'any';
  /** Which rate limit counts it. */
  limit: 'create' | 'other' | 'callback';
  /** Default `key`: a valid API key is needed. `operator`: the admin token. */
  access?: 'key' | 'anyone' | 'operator';
  /** The handler gets the body as it came in place of JSON: a Buffer, or a stream where it is longer than `bufferedBytes`. */
  rawBody?: RawBodyLimits;
  /** Refuses what must not cost us a body: called before that is read. @throws ApiError */
  admit?(request: { context: Context; params: never }): Promise<void>;
  /** Is told when its query or body was refused; the answer is as it would be. */
  refused?(request: { context: Context; params: never; raw: RawRequest; error: unknown }): Promise<void>;
  params?: z.ZodObject;
  query?: z.ZodObject;
  headers?: z.ZodObject;
  body?: z.ZodType;
  /**
   * By status; the schema is null for an answer without JSON, `csv` an example of one that also comes as a table,
   * `eventStream` of one that comes as server-sent events.
   */
  responses: Record<number, EndpointAnswer>;
  /** Codes it refuses with beside those that follow from its schemas and scope. */
  errors?: readonly ErrorCode[];
  /** Null: the handler has answered on `raw.response` itself. */
  handle(request: EndpointRequest<never, never, never>): Promise<Reply | null>;
};

type Inferred<Schema> = Schema extends z.ZodType ? z.infer<Schema> : undefined;

/** Defines an endpoint with its handler's request typed by its schemas. */
export function endpoint<
  Params extends z.ZodObject | undefined = undefined,
  Query extends z.ZodObject | undefined = undefined,
  Body extends z.ZodType | undefined = undefined,
>(
  definition: Omit<Endpoint, 'params' | 'query' | 'body' | 'handle' | 'admit' | 'refused'> & {
    params?: Params;
    query?: Query;
    body?: Body;
    handle(
      request: EndpointRequest<Inferred<Params>, Inferred<Query>, Inferred<Body>>,
    ): Promise<Reply | null>;
  },
): Endpoint {
  return definition as unknown as Endpoint;
}

/** An endpoint without a caller: for anyone, or for the operator. With `rawBody` its body is the bytes. */
export function callerlessEndpoint<
  Params extends z.ZodObject | undefined = undefined,
  Query extends z.ZodObject | undefined = undefined,
  Body extends z.ZodType | undefined = undefined,
  RawBody extends RawBodyLimits | undefined = undefined,
>(
  definition: Omit<
    Endpoint,
    'params' | 'query' | 'body' | 'handle' | 'admit' | 'refused' | 'scope' | 'access' | 'rawBody'
  > & {
    access: 'anyone' | 'operator';
    params?: Params;
    query?: Query;
    body?: Body;
    rawBody?: RawBody;
    admit?(request: { context: Context; params: Inferred<Params> }): Promise<void>;
    refused?(request: {
      context: Context;
      params: Inferred<Params>;
      raw: RawRequest;
      error: unknown;
    }): Promise<void>;
    handle(
      request: Omit<
        EndpointRequest<
          Inferred<Params>,
          Inferred<Query>,
          RawBody extends RawBodyLimits ? Buffer | Readable : Inferred<Body>
        >,
        'caller'
      >,
    ): Promise<Reply | null>;
  },
): Endpoint {
  return { scope: 'any', ...definition } as unknown as Endpoint;
}
