import type { oas31 } from 'zod-openapi';

type Headers = Record<string, oas31.HeaderObject>;

/** Headers of every answer, errors included. */
export const commonHeaders: Headers = {
  'X-Request-Id': {
    description: 'Names this request; quote it when you ask for help',
    schema: { type: 'string', examples: ['req_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d'] },
  },
  'X-RateLimit-Limit': {
    description: 'Requests allowed in the window',
    schema: { type: 'integer', examples: [3000] },
  },
  'X-RateLimit-Remaining': {
    description: 'Requests left in the window',
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

/** References to the headers of every answer, which stand among the components. */
export function commonHeaderReferences(): Record<string, oas31.ReferenceObject> {
  return Object.fromEntries(
    Object.keys(commonHeaders).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
}
