import { createHmac } from 'node:crypto';

/** The headers of a webhook with this body, signed with the secret (`whsec_...`). */
export function signed(
  body: Buffer,
  how: { secret: string; id: string; atS: number },
): Record<string, string> {
  const key = Buffer.from(how.secret.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', key).update(`${how.id}.${how.atS}.`).update(body).digest('base64');
  return {
    'webhook-id': how.id,
    'webhook-timestamp': String(how.atS),
    // Old and new secrets sign side by side while one takes the place of the other.
    'webhook-signature': `v1a,anotherkind v1,${Buffer.from('old').toString('base64')} v1,${signature}`,
  };
}
