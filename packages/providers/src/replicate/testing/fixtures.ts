import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A recorded example of Replicate's documentation, with changes. */
export function fixture(name: string, part: object = {}): Record<string, unknown> {
  const file = join(import.meta.dirname, '..', 'fixtures', `${name}.json`);
  return { ...(JSON.parse(readFileSync(file, 'utf8')) as object), ...part };
}

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
    // During a rotation both secrets sign.
    'webhook-signature': `v1a,anotherkind v1,${Buffer.from('old').toString('base64')} v1,${signature}`,
  };
}
