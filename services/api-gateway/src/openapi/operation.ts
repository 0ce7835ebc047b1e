import type { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiResponseObject } from 'zod-openapi';
import type { Endpoint } from '../http/endpoint.ts';
import { commonHeaderReferences } from './answerHeaders.ts';
import { errorAnswers } from './errorAnswers.ts';

/** An endpoint as OpenAPI has it. */
export function operationOf(endpoint: Endpoint): ZodOpenApiOperationObject {
  const { tag, summary, description, params, query, headers, body, access } = endpoint;
  return {
    operationId: operationId(endpoint),
    tags: [tag],
    summary,
    ...(description && { description }),
    ...(access === 'anyone' && { security: [] }),
    requestParams: {
      ...(params && { path: params }),
      ...(query && { query }),
      ...(headers && { header: headers }),
    },
    ...(body && { requestBody: { required: true, content: { 'application/json': { schema: body } } } }),
    responses: { ...successes(endpoint), ...errorAnswers(endpoint) },
  };
}

function successes({ responses }: Endpoint): Record<string, ZodOpenApiResponseObject> {
  const entries = Object.entries(responses).filter(([status]) => Number(status) < 400);
  return Object.fromEntries(
    entries.map(([status, { description, schema, csv }]) => [
      status,
      { description, headers: commonHeaderReferences(), content: contentOf(schema, csv) },
    ]),
  );
}

function contentOf(schema: z.ZodType | null, csv?: string): NonNullable<ZodOpenApiResponseObject['content']> {
  const table =
    csv === undefined ? {} : { 'text/csv': { schema: { type: 'string' as const }, example: csv } };
  return schema
    ? { 'application/json': { schema }, ...table }
    : { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } };
}

/** `GET /v1/files/{file_id}/url` is `getFilesFileIdUrl`. */
function operationId({ method, path }: Endpoint): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter((word) => word !== '' && word !== 'v1');
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}
