import { createHash } from 'node:crypto';

/** What fal signs of a webhook, with Ed25519. */
export function falSignedText(
  requestId: string,
  userId: string,
  timestamp: string,
  body: Buffer | string,
): string {
  return [requestId, userId, timestamp, createHash('sha256').update(body).digest('hex')].join('\n');
}
