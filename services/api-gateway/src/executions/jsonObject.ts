import { z } from 'zod';

/** Any JSON object, handed on as it came. */
export function jsonObject(description: string, example: Record<string, unknown>) {
  return z
    .custom<Record<string, unknown>>(isObject, {
      message: 'must be an object',
      params: { code: 'INVALID_TYPE' },
    })
    .meta({
      description,
      example,
      override: { type: 'object', additionalProperties: true },
    });
}

function isObject(value: unknown): boolean {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
