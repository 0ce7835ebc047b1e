import { createHmac, createSecretKey, randomBytes } from 'node:crypto';

const prefix = 'whsec_';

/** `whsec_` + base64 of 32 random bytes. */
export function newWebhookSecret(): string {
  return prefix + randomBytes(32).toString('base64');
}

/**
 * Spec, "Events" 4: hex HMAC-SHA256 keyed with the whole secret over `<timestamp>.<raw body>`; and beside it the
 * Standard Webhooks headers, keyed with the decoded secret over `<id>.<timestamp>.<raw body>`.
 */
export function signatureHeaders(args: {
  secret: string;
  eventId: string;
  timestampS: number;
  body: string;
}) {
  const { secret, eventId, body } = args;
  const timestamp = String(args.timestampS);
  // As a key object: with the bytes themselves, Node takes four times as long.
  const key = createSecretKey(secret.slice(prefix.length), 'base64');
  return {
    'X-Signature-Timestamp': timestamp,
    'X-Signature': createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex'),
    'webhook-id': eventId,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${createHmac('sha256', key).update(`${eventId}.${timestamp}.${body}`).digest('base64')}`,
  };
}
