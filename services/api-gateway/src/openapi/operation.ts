import type { ZodOpenApiOperationObject, ZodOpenApiResponseObject } from 'zod-openapi';
import type { Endpoint, EndpointAnswer } from '../http/endpoint.ts';
import { commonHeaderReferences } from './answerHeaders.ts';
import { errorAnswers } from './errorAnswers.ts';

/** An endpoint as OpenAPI has it. */
export function operationOf(endpoint: Endpoint): ZodOpenApiOperationObject {
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
    responses: { ...successes(endpoint), ...errorAnswers(endpoint) },
  };
}

/** The scope stands where OpenAPI 3.1 has the roles that a call needs. */
function securityOf({ access, scope }: Endpoint): Record<string, string[]>[] {
  if (access === 'anyone') return [];
  return [{ apiKey: scope === 'any' ? [] : [scope] }];
}

function successes({ responses }: Endpoint): Record<string, ZodOpenApiResponseObject> {
  const entries = Object.entries(responses).filter(([status]) => Number(status) < 400);
  return Object.fromEntries(
    entries.map(([status, answer]) => [
      status,
      {
        description: answer.description,
        headers: commonHeaderReferences(),
        ...(status !== noContent && { content: contentOf(answer) }),
      },
    ]),
  );
}

const noContent = '204';

function contentOf({
  schema,
  csv,
  eventStream,
}: EndpointAnswer): NonNullable<ZodOpenApiResponseObject['content']> {
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
