import type { IncomingHttpHeaders } from 'node:http';
import { signatureHeaders, signingKeys } from '@holdfast/domain/webhookSignature';

const toleranceS = 300;

/** Checks both signatures, as a receiver should. Null: authentic. */
export function problemOf(body: string, headers: IncomingHttpHeaders, secret: string): string | null {
  const eventId = String(headers['webhook-id']);
  const timestampS = Number(headers['webhook-timestamp']);
  if (!(Math.abs(Date.now() / 1000 - timestampS) <= toleranceS)) return 'its timestamp is missing or old';
  const signers = { current: signingKeys(secret), previous: null, isPreviousPrimary: false };
  const expected = signatureHeaders({ signers, eventId, timestampS, body });
  if (headers['x-signature-timestamp'] !== expected['X-Signature-Timestamp'])
    return 'X-Signature-Timestamp differs';
  if (headers['x-signature'] !== expected['X-Signature']) return 'X-Signature is wrong';
  const signatures = String(headers['webhook-signature']).split(' ');
  return signatures.includes(expected['webhook-signature']) ? null : 'webhook-signature is wrong';
}
