import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { ApiKeyScope } from '@holdfast/domain/apiKey';
import type { ErrorCode } from '@holdfast/domain/errors';
import type { z } from 'zod';
import type { oas31 } from 'zod-openapi';
import type { Table } from './csv.ts';

export type RawRequest = { request: IncomingMessage; response: ServerResponse };

export type EndpointRequest<Context, Caller, Params, Query, Body> = {
  context: Context;
  caller: Caller;
  /** For responses that take long. @throws ApiError UNAUTHENTICATED when the key is no longer valid */
  recheckKey(): Promise<void>;
  params: Params;
  query: Query;
  body: Body;
  headers: IncomingMessage['headers'];
  publicUrl: string;
  /** The trace context for work that the request starts; null: not traced. */
  traceparent: string | null;
  /** For endpoints that stream their response. */
  raw: RawRequest;
};

export type RawBodyLimits = {
  bufferedBytes: number;
  maxBytes: number;
  decompresses?: true;
  /** An example, if the body is lines of JSON. */
  ndjson?: string;
};

export type Reply = {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
  /** The response for clients that accept text/csv. */
  table?: Table;
  /**
   * Gives the response in place of this one, after the request's body is released; null: it was written, or the client is
   * gone. With a `body` of null there is no response but that.
   */
  wait?: () => Promise<Reply | null>;
};

export type EndpointResponse = {
  description: string;
  schema: z.ZodType | null;
  csv?: string;
  eventStream?: string;
  ndjson?: string;
  headers?: Record<string, oas31.HeaderObject>;
  links?: Record<string, oas31.LinkObject>;
};

/** A link to an operation that takes a field of the response as its parameter of the path. */
export function linkTo(
  operationId: string,
  field: string,
  description: string,
  parameter = field,
): oas31.LinkObject {
  return { operationId, parameters: { [parameter]: `$response.body#/${field}` }, description };
}

/**
 * One endpoint: path, schemas and handler. The OpenAPI document is generated from the same object. `Context` and `Caller` are
 * what its handlers get.
 */
export type Endpoint<Context = never, Caller = never> = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'QUERY';
  /** With `{name}` parameters, e.g. `/v1/executions/{id}`. */
  path: string;
  /** Its name in clients, as `createExecution`. Endpoints outside the OpenAPI document have none. */
  operationId?: string;
  tag: string;
  summary: string;
  description?: string;
  /** The scope that a key needs; `any`: every key may call it. */
  scope: ApiKeyScope | 'any';
  /** Whether execution tokens may call it too, from any origin: only to read. */
  allowsTokens?: boolean;
  limit: 'create' | 'other' | 'callback';
  /** A `POST` that only reads: operators' calls of it are not recorded. */
  isReading?: boolean;
  /** Default `key`: requires a valid API key. `operator`: requires an admin token. */
  access?: 'key' | 'anyone' | 'operator';
  /** The handler gets the raw body instead of JSON: a Buffer, or a stream if it is longer than `bufferedBytes`. */
  rawBody?: RawBodyLimits;
  /** Bytes of its JSON body. Default: `limits.jsonBodyBytes`. */
  maxJsonBytes?: number;
  /** The handler also accepts a form (multipart/form-data) of up to this many bytes: it gets that as a stream. */
  maxFormBytes?: number;
  /** Whose body it is, where requests have no key: one sender cannot use up the memory for the bodies of all. */
  sender?(params: never): string;
  /** Called before the body is read. @throws ApiError to refuse the request without reading it */
  admit?(request: { context: Context; params: never }): Promise<void>;
  /** Called when the query or body was refused; does not change the response. */
  onRefused?(request: { context: Context; params: never; raw: RawRequest; error: unknown }): Promise<void>;
  params?: z.ZodObject;
  query?: z.ZodObject;
  headers?: z.ZodObject;
  body?: z.ZodType;
  /** What the OpenAPI document shows instead of `body`, if it can say more: which fields go together. */
  documentedBody?: z.ZodType;
  /**
   * By status. `schema` is null for a response without JSON. `csv` is an example of the response as a table, `eventStream`
   * of a response that consists of server-sent events, `ndjson` of one that consists of lines of JSON.
   */
  responses: Record<number, EndpointResponse>;
  /** Error codes beyond what follows from its schemas and scope. */
  errors?: readonly ErrorCode[];
  /** Returns null if it wrote to `raw.response` itself. */
  handle(request: EndpointRequest<Context, Caller, never, never, never>): Promise<Reply | null>;
};

type Inferred<Schema> = Schema extends z.ZodType ? z.infer<Schema> : undefined;

/** What defines the endpoints whose handlers get this context and caller. */
export function endpointsOf<Context, Caller>() {
  type Defined = Endpoint<Context, Caller>;
  type Handled = 'params' | 'query' | 'body' | 'handle' | 'sender' | 'admit' | 'onRefused';
  type Request<Params, Query, Body> = EndpointRequest<
    Context,
    Caller,
    Inferred<Params>,
    Inferred<Query>,
    Body
  >;

  /** Defines an endpoint; its schemas type the handler's request. */
  function endpoint<
    Params extends z.ZodObject | undefined = undefined,
    Query extends z.ZodObject | undefined = undefined,
    Body extends z.ZodType | undefined = undefined,
    FormBytes extends number | undefined = undefined,
    RawBody extends RawBodyLimits | undefined = undefined,
  >(
    definition: Omit<Defined, Handled | 'maxFormBytes' | 'rawBody'> & {
      operationId: string;
      params?: Params;
      query?: Query;
      body?: Body;
      maxFormBytes?: FormBytes;
      rawBody?: RawBody;
      handle(
        request: Request<
          Params,
          Query,
          RawBody extends RawBodyLimits
            ? Buffer | Readable
            : Inferred<Body> | (FormBytes extends number ? Readable : never)
        >,
      ): Promise<Reply | null>;
    },
  ): Defined {
    return { ...definition, query: definition.query?.strict() } as unknown as Defined;
  }

  /** Defines an endpoint that needs no API key: for anyone, or for operators. With `rawBody`, the body is bytes. */
  function keylessEndpoint<
    Params extends z.ZodObject | undefined = undefined,
    Query extends z.ZodObject | undefined = undefined,
    Body extends z.ZodType | undefined = undefined,
    RawBody extends RawBodyLimits | undefined = undefined,
  >(
    definition: Omit<Defined, Handled | 'scope' | 'access' | 'rawBody'> & {
      access: 'anyone' | 'operator';
      params?: Params;
      query?: Query;
      body?: Body;
      rawBody?: RawBody;
      sender?(params: Inferred<Params>): string;
      admit?(request: { context: Context; params: Inferred<Params> }): Promise<void>;
      onRefused?(request: {
        context: Context;
        params: Inferred<Params>;
        raw: RawRequest;
        error: unknown;
      }): Promise<void>;
      handle(
        request: Omit<
          Request<Params, Query, RawBody extends RawBodyLimits ? Buffer | Readable : Inferred<Body>>,
          'caller'
        >,
      ): Promise<Reply | null>;
    },
  ): Defined {
    return { scope: 'any', ...definition, query: definition.query?.strict() } as unknown as Defined;
  }

  return { endpoint, keylessEndpoint };
}
