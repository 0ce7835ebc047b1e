import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';

const prefix = 'whsec_';

/** `whsec_` + base64 of 32 random bytes. */
export function newWebhookSecret(): string {
  return prefix + randomBytes(32).toString('base64');
}

export type SigningKeys = { whole: KeyObject; decoded: KeyObject };

/** Cached by callers: creating keys takes a third of the time of a signature. */
export function signingKeys(secret: string): SigningKeys {
  return {
    whole: createSecretKey(secret, 'utf8'),
    decoded: createSecretKey(secret.slice(prefix.length), 'base64'),
  };
}

export type Signers = {
  current: SigningKeys;
  previous: SigningKeys | null;
  /** Whether `X-Signature`, which holds one signature, uses the previous secret. */
  isPreviousPrimary: boolean;
};

/** Contract 8.5: hex HMAC-SHA256 by the whole secret; and Standard Webhooks: a signature per decoded secret. */
export function signatureHeaders(args: {
  signers: Signers;
  eventId: string;
  timestampS: number;
  body: string;
}) {
  const { eventId, body } = args;
  const { current, previous, isPreviousPrimary } = args.signers;
  const timestamp = String(args.timestampS);
  const primary = isPreviousPrimary && previous ? previous : current;
  const signature = hmac(primary.whole, `${timestamp}.`, body).digest('hex');
  const text = `${eventId}.${timestamp}.`;
  const standard = ({ decoded }: SigningKeys) => `v1,${hmac(decoded, text, body).digest('base64')}`;
  return {
    'X-Signature-Timestamp': timestamp,
    'X-Signature': signature,
    'webhook-id': eventId,
    'webhook-timestamp': timestamp,
    'webhook-signature': previous ? `${standard(current)} ${standard(previous)}` : standard(current),
  };
}

const hmac = (key: KeyObject, text: string, body: string) =>
  createHmac('sha256', key).update(text).update(body);
