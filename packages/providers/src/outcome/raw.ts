import type { Failure } from '@holdfast/domain/outcome';
import type { Answer } from '../connection.ts';
import { keysOf, type Secrets } from './scrub.ts';

const mostBytes = 4096;
/** Of an answer's body, so that masking takes bounded time. */
const mostLooked = 65_536;

/** The failure, with what the provider said: at most 4 KiB, without our keys. */
export function withRaw<F extends Failure>(failure: F, said: string, secrets: Secrets): F {
  const raw = rawText(said, secrets);
  return raw === '' ? failure : { ...failure, raw };
}

/** An answer as the operator is shown it: `401 req_1 {"error": ...}`. */
export function answerText({ status, headers, bodyText }: Answer): string {
  const id = headers['x-request-id'] ?? headers['x-fal-request-id'];
  return [status, typeof id === 'string' ? `request ${id}` : '', bodyText.slice(0, mostLooked)]
    .filter((part) => part !== '')
    .join(' ');
}

/** Text that may be stored and shown to the operator: at most 4 KiB, our keys masked, no NUL (Postgres takes none). */
export function rawText(said: string, secrets: Secrets): string {
  const masked = keysOf(secrets).reduce(
    (rest, key) => rest.replaceAll(key, '[key]'),
    said.slice(0, mostLooked),
  );
  const clean = masked.replaceAll('\u0000', '').toWellFormed().trim();
  const bytes = Buffer.from(clean);
  return bytes.length <= mostBytes
    ? clean
    : bytes
        .subarray(0, mostBytes)
        .toString('utf8')
        .replace(/\ufffd+$/, '');
}
