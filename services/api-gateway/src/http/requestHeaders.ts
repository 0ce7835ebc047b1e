import { hash } from 'node:crypto';
import { invalidField } from '@holdfast/domain/errors';
import canonicalize from 'canonicalize';
import { z } from 'zod';

const field = 'Idempotency-Key';

/** Printable ASCII including spaces, like strings in RFC 8941. */
const shape = /^[ -~]{1,255}$/;

/** For the OpenAPI document; `readIdempotencyKey` does the check. */
export const idempotencyKeyHeader = z.string().regex(shape).optional().meta({
  description: '1 to 255 printable ASCII characters; spaces are allowed',
  example: 'order-A-17',
});

/** Null when the header is absent and optional. @throws INPUT_VALIDATION_ERROR */
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

/** SHA-256 (hex) of the canonical JSON (RFC 8785): equal for equal requests, however they are formatted. */
export function requestHash(body: unknown): string {
  return hash('sha256', canonicalize(body) ?? '');
}

/** The longest time that a request waits for an execution. */
export const maxWaitS = 60;

/**
 * Seconds of `Prefer: wait=N` (RFC 7240), at most `maxWaitS`, which a bare `wait` means. The first of several counts; an
 * invalid one is ignored.
 */
export function preferredWaitS(header: string | string[] | undefined): number {
  if (header === undefined) return 0;
  // A quoted value may contain commas; only a number matters here.
  const text = header
    .toString()
    .replace(/"([^"]*)"/g, (_, value: string) => (/^\d+$/.test(value) ? value : '-'));
  const [first] = text
    .split(',')
    .map((preference) => preference.split(';', 1)[0]?.trim() ?? '')
    .filter((preference) => /^wait\s*(=|$)/i.test(preference));
  if (first?.toLowerCase() === 'wait') return maxWaitS;
  const [, seconds] = /=\s*(\d{1,9})$/.exec(first ?? '') ?? [];
  return Math.min(Number(seconds ?? 0), maxWaitS);
}
