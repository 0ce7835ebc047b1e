import { createPublicKey, type KeyObject } from 'node:crypto';
import { createTrustedHttp } from '@holdfast/egress/trusted';
import { z } from 'zod';

export type KeySet = {
  /** Null when the keys could not be fetched. */
  some(fits: (key: KeyObject) => boolean): Promise<boolean | null>;
  close(): void;
};

const jwks = z.object({ keys: z.array(z.looseObject({ kty: z.string() })).max(100) });

const maxAgeMs = 24 * 60 * 60 * 1000;
const refetchAfterMs = 60_000;
const retryAfterMs = 5000;

/** The Ed25519 keys of a JWKS, cached for a day and fetched again when none matches. */
export function createKeySet(url: string, nowMs: () => number = Date.now): KeySet {
  const http = createTrustedHttp({
    baseUrl: originOf(url),
    timeoutMs: 10_000,
    maxResponseBytes: 1024 * 1024,
  });
  let known: { keys: KeyObject[]; atMs: number } | null = null;
  let failedAtMs = Number.NEGATIVE_INFINITY;
  let fetching: Promise<KeyObject[] | null> | null = null;

  async function fetchKeys(): Promise<KeyObject[] | null> {
    const result = await http.request('GET', pathOf(url));
    const read = result.ok && result.status === 200 ? jwks.safeParse(result.json).data : undefined;
    if (read === undefined) {
      failedAtMs = nowMs();
      return null;
    }
    known = { keys: read.keys.flatMap(ed25519), atMs: nowMs() };
    return known.keys;
  }
  const fetchOnce = () => {
    fetching ??= fetchKeys().finally(() => {
      fetching = null;
    });
    return fetching;
  };

  return {
    close: () => http.close(),
    async some(fits) {
      const kept = known !== null && nowMs() - known.atMs < maxAgeMs ? known : null;
      if (kept?.keys.some(fits)) return true;
      if (kept && nowMs() - kept.atMs < refetchAfterMs) return false;
      // Forged callbacks must not cause a fetch each.
      if (nowMs() - failedAtMs < retryAfterMs) return null;
      const keys = await fetchOnce();
      return keys && keys.some(fits);
    },
  };
}

function ed25519(jwk: Record<string, unknown>): KeyObject[] {
  try {
    const key = createPublicKey({ key: jwk, format: 'jwk' });
    return key.asymmetricKeyType === 'ed25519' ? [key] : [];
  } catch {
    return [];
  }
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url;
}

function pathOf(url: string): string {
  if (!URL.canParse(url)) return url;
  const { pathname, search } = new URL(url);
  return `${pathname}${search}`;
}
