import { createDocument, type oas31, type ZodOpenApiPathsObject } from 'zod-openapi';
import { ThinEvent } from '../endpoints/events/eventRecord.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { addExamples } from './addExamples.ts';
import { commonHeaders } from './answerHeaders.ts';
import { eventWebhook } from './eventWebhook.ts';
import { operationOf } from './operation.ts';
import { overviewMarkdown, title, version } from './overview.ts';

export type ApiDocument = oas31.OpenAPIObject;

/** The OpenAPI 3.1 document of these endpoints; those that providers call are left out. */
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
        apiKey: { type: 'http', scheme: 'bearer', description: '`sk_`, 64 hex digits, `_` and 8 hex digits' },
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
