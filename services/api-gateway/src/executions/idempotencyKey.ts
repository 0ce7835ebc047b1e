import { invalidField } from '@holdfast/domain/errors';
import { z } from 'zod';

const field = 'Idempotency-Key';

/** Printable ASCII, spaces too, as the strings of RFC 8941 have it. */
const shape = /^[ -~]{1,255}$/;

/** The header as the OpenAPI document shows it; `readIdempotencyKey` checks it. */
export const idempotencyKeyHeader = z.string().regex(shape).optional().meta({
  description: '1 to 255 printable ASCII characters, spaces among them',
  example: 'order-A-17',
});

/** Null when there is none and none is required. @throws INPUT_VALIDATION_ERROR */
export function readIdempotencyKey(
  header: string | string[] | undefined,
  isRequired: boolean,
): string | null {
  if (header === undefined) {
    if (isRequired) throw invalidField(field, 'REQUIRED', 'The header Idempotency-Key is required.');
    return null;
  }
  if (typeof header === 'string' && shape.test(header)) return header;
  throw invalidField(
    field,
    'INVALID_FORMAT',
    'Idempotency-Key must be 1 to 255 printable ASCII characters; spaces are allowed.',
  );
}
