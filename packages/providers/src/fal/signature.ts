import { createHash, verify } from 'node:crypto';
import type { Callback } from '../interface.ts';
import type { KeySet } from './keySet.ts';

const toleranceS = 300;

/** The text that is signed. */
export function signedText(requestId: string, userId: string, timestamp: string, body: Buffer): string {
  return [requestId, userId, timestamp, createHash('sha256').update(body).digest('hex')].join('\n');
}

/** Whether a webhook is signed by one of the keys, within five minutes of its arrival. `later`: keys can't be had. */
export async function verifySignature(
  { headers, body, receivedAtMs }: Callback,
  keys: KeySet,
): Promise<'authentic' | 'forged' | 'later'> {
  const part = (name: string) => headers[`x-fal-webhook-${name}`] ?? '';
  const timestamp = part('timestamp');
  const signature = part('signature');
  const isRecent =
    /^\d{1,12}$/.test(timestamp) && Math.abs(receivedAtMs / 1000 - Number(timestamp)) <= toleranceS;
  if (!isRecent || !/^[0-9a-f]{128}$/i.test(signature)) return 'forged';
  const text = Buffer.from(signedText(part('request-id'), part('user-id'), timestamp, body));
  const isFit = await keys.some((key) => verify(null, text, key, Buffer.from(signature, 'hex')));
  if (isFit === null) return 'later';
  return isFit ? 'authentic' : 'forged';
}
