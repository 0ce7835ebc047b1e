import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Callback } from '../interface.ts';

/** Standard Webhooks: older and younger ones may be replayed. */
const toleranceS = 300;

/** What a callback's headers claim; null when they are incomplete, or of another time than that of its arrival. */
export type Claim = { text: string; signatures: Buffer[] };

export function claimOf({ headers, receivedAtMs }: Callback): Claim | null {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': list } = headers;
  if (!id || !list || timestamp === undefined || !/^\d{1,12}$/.test(timestamp)) return null;
  if (Math.abs(receivedAtMs / 1000 - Number(timestamp)) > toleranceS) return null;
  const signatures = list
    .split(' ')
    .filter((one) => one.startsWith('v1,'))
    .map((one) => Buffer.from(one.slice(3), 'base64'));
  return signatures.length === 0 ? null : { text: `${id}.${timestamp}.`, signatures };
}

/** What is left of a secret that is no base64 would be a key that anybody has. */
const shortestKeyBytes = 16;

/** Whether one of the signatures is made with the secret (`whsec_...`). */
export function isSigned({ text, signatures }: Claim, body: Buffer, secret: string): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  if (key.length < shortestKeyBytes) return false;
  const expected = createHmac('sha256', key).update(text).update(body).digest();
  return signatures.some((one) => one.length === expected.length && timingSafeEqual(one, expected));
}
