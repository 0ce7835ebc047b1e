import { createHmac } from 'node:crypto';
import { isSameSecret } from '@holdfast/domain/constantTime';
import type { TrustedHttp } from '@holdfast/egress/trusted';
import { z } from 'zod';
import { type Callback, isTimely } from '../interface.ts';

/** Null when headers are missing or the timestamp is far from the arrival. */
export type Claim = { text: string; signatures: Buffer[] };

export function claimOf({ headers, receivedAtMs }: Callback): Claim | null {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': list } = headers;
  if (!id || !list || !isTimely(timestamp, { receivedAtMs })) return null;
  const signatures = list
    .split(' ')
    .filter((one) => one.startsWith('v1,'))
    .map((one) => Buffer.from(one.slice(3), 'base64'));
  return signatures.length === 0 ? null : { text: `${id}.${timestamp}.`, signatures };
}

/** A secret that is not base64 decodes to a guessable key. */
const minKeyBytes = 16;

export function isSigned({ text, signatures }: Claim, body: Buffer, secret: string): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  if (key.length < minKeyBytes) return false;
  const expected = createHmac('sha256', key).update(text).update(body).digest();
  return signatures.some((one) => isSameSecret(one, expected));
}

const secretResponse = z.object({ key: z.string().startsWith('whsec_') });
const betweenFetchesMs = 60_000;
const retryAfterMs = 5000;

export type WebhookSecret = {
  /** Null when it could not be fetched. */
  current(): Promise<string | null>;
  /** Fetched again after a wrong signature; undefined when it was fetched within a minute. */
  renewed(): Promise<string | null | undefined>;
};

/** The configured secret, else the account's. It is cached; a wrong signature reveals a rotation. */
export function webhookSecret(http: TrustedHttp, set: string | undefined, now: () => number): WebhookSecret {
  if (set !== undefined) return { current: async () => set, renewed: async () => undefined };
  let kept: string | null = null;
  let fetchedAtMs = Number.NEGATIVE_INFINITY;
  let failedAtMs = Number.NEGATIVE_INFINITY;
  let fetching: Promise<string | null> | null = null;

  async function fetched(): Promise<string | null> {
    const result = await http.request('GET', '/webhooks/default/secret', { timeoutMs: 10_000 });
    const key =
      result.ok && result.status === 200 ? secretResponse.safeParse(result.json).data?.key : undefined;
    if (key === undefined) {
      failedAtMs = now();
      return null;
    }
    kept = key;
    fetchedAtMs = now();
    return key;
  }
  /** Concurrent callbacks share one fetch, and forged ones cannot cause a fetch each. */
  async function fetchOnce(): Promise<string | null> {
    if (now() - failedAtMs < retryAfterMs) return null;
    fetching ??= fetched().finally(() => {
      fetching = null;
    });
    return await fetching;
  }
  return {
    current: async () => kept ?? (await fetchOnce()),
    renewed: async () => (now() - fetchedAtMs < betweenFetchesMs ? undefined : fetchOnce()),
  };
}
