import {
  createDocument,
  type oas31,
  type ZodOpenApiComponentsObject,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponseObject,
} from 'zod-openapi';
import type { Endpoint, EndpointResponse } from '../../http/endpoint.ts';
import { addCodeSamples } from './codeSamples.ts';
import { eventWebhook } from './eventWebhook.ts';
import { scopeField } from './operations.ts';
import { overviewMarkdown, tags, title, version } from './overview.ts';
import { commonHeaderReferences, commonHeaders, errorResponses } from './responses.ts';
import { addExamples } from './samples.ts';
import { describeDefaults, schemaForClients } from './schemas.ts';

export type ApiDocument = oas31.OpenAPIObject;

/** The OpenAPI 3.1 document of these endpoints, without what providers call. */
export function createApiDocument(endpoints: readonly Endpoint[]): ApiDocument {
  const documented = endpoints.filter(({ limit }) => limit !== 'callback');
  const source: ZodOpenApiObject = {
    openapi: '3.1.0',
    info: {
      title,
      version,
      description: overviewMarkdown(),
      contact: { name: 'The operator of this Holdfast' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The Holdfast that serves this document' }],
    security: [{ apiKey: [] }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths: pathsOf(documented, [{ apiKey: [] }]),
    webhooks: eventWebhook,
    components: { headers: commonHeaders, securitySchemes },
  };
  const document = createDocument(source, { override: schemaForClients }) as ApiDocument;
  describeDefaults(document);
  addExamples(document);
  addCodeSamples(document);
  return document;
}

type Security = NonNullable<ZodOpenApiOperationObject['security']>;

const securitySchemes: NonNullable<ZodOpenApiComponentsObject['securitySchemes']> = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key: `sk_`, 64 hex digits, `_` and 8 hex digits',
  },
  executionToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'A token of `POST /v1/executions/{id}/token`, which reads one execution',
  },
};

export function pathsOf(endpoints: readonly Endpoint[], security: Security): ZodOpenApiPathsObject {
  const byPath = Map.groupBy(endpoints, ({ path }) => path);
  return Object.fromEntries(
    [...byPath].map(([path, here]) => [
      path,
      Object.fromEntries(
        here.map((endpoint) => [endpoint.method.toLowerCase(), operationOf(endpoint, security)]),
      ),
    ]),
  );
}

function operationOf(endpoint: Endpoint, security: Security): ZodOpenApiOperationObject {
  const { operationId, tag, summary, description, params, query, headers, rawBody } = endpoint;
  const body = endpoint.documentedBody ?? endpoint.body;
  if (operationId === undefined) throw new Error(`${endpoint.method} ${endpoint.path} has no operationId`);
  return {
    operationId,
    tags: [tag],
    summary,
    ...(description && { description }),
    ...securityOf(endpoint, security),
    requestParams: {
      ...(params && { path: params }),
      ...(query && { query }),
      ...(headers && { header: headers }),
    },
    ...(body && {
      requestBody: {
        required: !body.safeParse({}).success,
        content: { 'application/json': { schema: body } },
      },
    }),
    ...(rawBody?.ndjson !== undefined && {
      requestBody: {
        required: true,
        content: {
          'application/x-ndjson': text(rawBody.ndjson),
          ...(body && { 'application/json': { schema: body } }),
        },
      },
    }),
    responses: { ...successes(endpoint), ...errorResponses(endpoint) },
  };
}

/** The scope is an extension: many tools allow scopes for OAuth only. */
function securityOf(
  { access, scope, allowsTokens }: Endpoint,
  accepted: Security,
): Partial<ZodOpenApiOperationObject> {
  if (access === 'anyone') return { security: [] };
  if (access === 'operator') return { security: accepted };
  const security = [...accepted, ...(allowsTokens ? [{ executionToken: [] }] : [])];
  return { security, ...(scope !== 'any' && { [scopeField]: scope }) };
}

function successes({ responses }: Endpoint): Record<string, ZodOpenApiResponseObject> {
  const entries = Object.entries(responses).filter(([status]) => Number(status) < 400);
  return Object.fromEntries(
    entries.map(([status, response]) => [
      status,
      {
        description: response.description,
        headers: { ...commonHeaderReferences(), ...response.headers },
        ...(status !== noContent && { content: contentOf(response) }),
        ...(response.links && { links: response.links }),
      },
    ]),
  );
}

const noContent = '204';

const text = (example: string) => ({ schema: { type: 'string' as const }, example });

function contentOf({
  schema,
  csv,
  eventStream,
  ndjson,
}: EndpointResponse): NonNullable<ZodOpenApiResponseObject['content']> {
  if (ndjson !== undefined) return { 'application/x-ndjson': text(ndjson) };
  if (eventStream !== undefined) return { 'text/event-stream': text(eventStream) };
  if (schema) return { 'application/json': { schema }, ...(csv !== undefined && { 'text/csv': text(csv) }) };
  return { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } };
}
