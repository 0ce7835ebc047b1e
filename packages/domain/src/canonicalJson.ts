import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';

/** SHA-256 (hex) of the canonical JSON (RFC 8785): equal for equal requests, however they are formatted. */
export function requestHash(body: unknown): string {
  return createHash('sha256')
    .update(canonicalize(body) ?? '')
    .digest('hex');
}
