import { type ErrorCode, errorCodes } from '@holdfast/domain/errors';
import { z } from 'zod';
import type { oas31, ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import type { Endpoint } from '../../http/endpoint.ts';

const codes = Object.keys(errorCodes) as [ErrorCode, ...ErrorCode[]];

const ErrorDetail = z
  .object({
    field: z.string().meta({ description: 'The path of the field', example: 'input.width' }),
    code: z.string().meta({ example: 'OUT_OF_RANGE' }),
    message: z.string().meta({ example: 'input.width must be at most 4096.' }),
  })
  .meta({ id: 'ErrorDetail' });

const RequestError = z
  .object({
    code: z.enum(codes).meta({ id: 'ErrorCode' }),
    message: z.string().describe('For people; do not parse it'),
    retryable: z.boolean().describe('Whether the same request may succeed later'),
    request_id: z.string().meta({ example: 'req_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d' }),
    details: z.array(ErrorDetail).describe('The invalid fields, if any'),
    doc_url: z.string().meta({
      description: 'A page about this code',
      example: 'https://api.example.com/docs/errors/INPUT_VALIDATION_ERROR',
    }),
  })
  .meta({ id: 'RequestError' });

const ErrorBody = z.object({ error: RequestError }).meta({ id: 'ErrorResponse' });

/** The error responses of an endpoint by status, each with its possible codes. */
export function errorResponses(endpoint: Endpoint): ZodOpenApiResponsesObject {
  const byStatus = Map.groupBy(codesOf(endpoint), (code) => errorCodes[code].status);
  const declared = Object.entries(endpoint.responses).filter(([status]) => Number(status) >= 400);
  return Object.fromEntries([
    ...[...byStatus].map(([status, some]) => [status, errorResponse(some)]),
    ...declared.map(([status, { description }]) => [status, response(description)]),
  ]);
}

function codesOf({ access, params, query, body, errors = [] }: Endpoint): ErrorCode[] {
  const isOpen = access === 'anyone';
  const found: (ErrorCode | false)[] = [
    (body !== undefined || query !== undefined) && 'INPUT_VALIDATION_ERROR',
    !isOpen && 'UNAUTHENTICATED',
    !isOpen && 'FORBIDDEN',
    params !== undefined && 'NOT_FOUND',
    body !== undefined && 'REQUEST_TIMEOUT',
    body !== undefined && 'PAYLOAD_TOO_LARGE',
    body !== undefined && 'UNSUPPORTED_MEDIA_TYPE',
    ...errors,
    'RATE_LIMITED',
    'INTERNAL_ERROR',
    'SERVICE_UNAVAILABLE',
  ];
  return [...new Set(found.filter((code) => code !== false))];
}

const responses = new Map<string, ZodOpenApiResponseObject>();

/** Equal responses share one object, which becomes one component by its `id`. */
function errorResponse(some: ErrorCode[]): ZodOpenApiResponseObject {
  const id = some.join('-');
  const found = responses.get(id) ?? { id, ...describedResponse(some) };
  responses.set(id, found);
  return found;
}

const withRetryAfter: ReadonlySet<ErrorCode> = new Set([
  'RATE_LIMITED',
  'SERVICE_UNAVAILABLE',
  'INSUFFICIENT_STORAGE',
]);

function describedResponse(some: ErrorCode[]): ZodOpenApiResponseObject {
  const [code = 'INTERNAL_ERROR'] = some;
  const described = response(some.map((one) => `\`${one}\``).join(', '), code);
  return some.some((one) => withRetryAfter.has(one))
    ? { ...described, headers: { ...commonHeaderReferences(), ...retryAfter } }
    : described;
}

function response(description: string, code?: ErrorCode): ZodOpenApiResponseObject {
  return {
    description,
    headers: commonHeaderReferences(),
    content: { 'application/json': { schema: ErrorBody, ...(code && { example: exampleOf(code) }) } },
  };
}

function exampleOf(code: ErrorCode) {
  const details =
    code === 'INPUT_VALIDATION_ERROR'
      ? [{ field: 'size_bytes', code: 'REQUIRED', message: 'size_bytes is required.' }]
      : [];
  const request_id = 'req_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d';
  const message = details[0]?.message ?? 'One sentence about what went wrong.';
  const doc_url = `https://api.example.com/docs/errors/${code}`;
  return { error: { code, message, retryable: errorCodes[code].retryable, request_id, details, doc_url } };
}

type Headers = Record<string, oas31.HeaderObject>;

/** The headers of every response, including errors. */
export const commonHeaders: Headers = {
  'X-Request-Id': {
    description: 'The id of this request; include it when you report a problem',
    schema: { type: 'string', examples: ['req_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d'] },
  },
  'X-RateLimit-Limit': {
    description: 'Requests allowed in the window',
    schema: { type: 'integer', examples: [3000] },
  },
  'X-RateLimit-Remaining': {
    description: 'Requests remaining in the window',
    schema: { type: 'integer', examples: [2999] },
  },
  'X-RateLimit-Reset': {
    description: 'When the window resets, in Unix seconds',
    schema: { type: 'integer', examples: [1_774_002_660] },
  },
};

export const retryAfter: Headers = {
  'Retry-After': { description: 'Seconds to wait', schema: { type: 'integer', examples: [12] } },
};

export function commonHeaderReferences(): Record<string, oas31.ReferenceObject> {
  return Object.fromEntries(
    Object.keys(commonHeaders).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
}
