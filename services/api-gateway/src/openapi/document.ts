import {
  createDocument,
  type oas31,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponseObject,
} from 'zod-openapi';
import { ThinEvent } from '../endpoints/events/eventRecord.ts';
import type { Endpoint, EndpointResponse } from '../http/endpoint.ts';
import { eventWebhook } from './eventWebhook.ts';
import { overviewMarkdown, title, version } from './overview.ts';
import { commonHeaderReferences, commonHeaders, errorResponses } from './responses.ts';
import { addExamples } from './samples.ts';

export type ApiDocument = oas31.OpenAPIObject;

/** The OpenAPI 3.1 document of these endpoints, without those that providers call. */
export function createApiDocument(endpoints: readonly Endpoint[]): ApiDocument {
  const documented = endpoints.filter(({ limit }) => limit !== 'callback');
  const document = createDocument({
    openapi: '3.1.0',
    info: {
      title,
      version,
      description: overviewMarkdown(),
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ apiKey: [] }],
    tags: [...new Set(documented.map(({ tag }) => tag))].map((name) => ({ name })),
    paths: pathsOf(documented),
    webhooks: eventWebhook,
    components: {
      schemas: { ThinEvent },
      headers: commonHeaders,
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key: `sk_`, 64 hex digits, `_` and 8 hex digits',
        },
      },
    },
  }) as ApiDocument;
  addExamples(document);
  return document;
}

function pathsOf(endpoints: readonly Endpoint[]): ZodOpenApiPathsObject {
  const byPath = Map.groupBy(endpoints, ({ path }) => path);
  return Object.fromEntries(
    [...byPath].map(([path, here]) => [
      path,
      Object.fromEntries(here.map((endpoint) => [endpoint.method.toLowerCase(), operationOf(endpoint)])),
    ]),
  );
}

function operationOf(endpoint: Endpoint): ZodOpenApiOperationObject {
  const { tag, summary, description, params, query, headers, body } = endpoint;
  return {
    operationId: operationId(endpoint),
    tags: [tag],
    summary,
    ...(description && { description }),
    security: securityOf(endpoint),
    requestParams: {
      ...(params && { path: params }),
      ...(query && { query }),
      ...(headers && { header: headers }),
    },
    ...(body && { requestBody: { required: true, content: { 'application/json': { schema: body } } } }),
    responses: { ...successes(endpoint), ...errorResponses(endpoint) },
  };
}

/** OpenAPI 3.1 allows roles here: the scope. */
function securityOf({ access, scope }: Endpoint): Record<string, string[]>[] {
  if (access === 'anyone') return [];
  return [{ apiKey: scope === 'any' ? [] : [scope] }];
}

function successes({ responses }: Endpoint): Record<string, ZodOpenApiResponseObject> {
  const entries = Object.entries(responses).filter(([status]) => Number(status) < 400);
  return Object.fromEntries(
    entries.map(([status, response]) => [
      status,
      {
        description: response.description,
        headers: commonHeaderReferences(),
        ...(status !== noContent && { content: contentOf(response) }),
      },
    ]),
  );
}

const noContent = '204';

function contentOf({
  schema,
  csv,
  eventStream,
}: EndpointResponse): NonNullable<ZodOpenApiResponseObject['content']> {
  const text = (example: string) => ({ schema: { type: 'string' as const }, example });
  if (eventStream !== undefined) return { 'text/event-stream': text(eventStream) };
  if (schema) return { 'application/json': { schema }, ...(csv !== undefined && { 'text/csv': text(csv) }) };
  return { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } };
}

/** `GET /v1/files/{file_id}/url` is `getFilesFileIdUrl`. */
function operationId({ method, path }: Endpoint): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter((word) => word !== '' && word !== 'v1');
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}
