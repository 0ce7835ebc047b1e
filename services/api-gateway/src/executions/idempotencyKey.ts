import { invalidField } from '@holdfast/domain/errors';

const field = 'Idempotency-Key';

/** Design: 1-255 visible ASCII; null when there is none and none is required. */
export function readIdempotencyKey(
  header: string | string[] | undefined,
  isRequired: boolean,
): string | null {
  if (header === undefined) {
    if (isRequired) throw invalidField(field, 'REQUIRED', 'The header Idempotency-Key is required.');
    return null;
  }
  if (typeof header === 'string' && /^[\x21-\x7e]{1,255}$/.test(header)) return header;
  throw invalidField(field, 'INVALID_FORMAT', 'Idempotency-Key must be 1 to 255 visible ASCII characters.');
}
