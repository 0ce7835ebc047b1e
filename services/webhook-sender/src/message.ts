import type { ClaimedDelivery } from '@holdfast/db/webhooks/lanes';
import type { SigningSecrets } from '@holdfast/db/webhooks/secrets';
import { deliveryBody } from '@holdfast/domain/events';
import { limits } from '@holdfast/domain/limits';
import type { WebhookDialect } from '@holdfast/domain/webhookDialect';
import { type Signers, signatureHeaders, signingKeys } from '@holdfast/domain/webhookSignature';
import type { EgressPolicy } from '@holdfast/egress/policy';
import { type PostResult, postJson } from '@holdfast/egress/post';
import type { Logger } from '@holdfast/kit/logger';
import type { SealedBox } from '@holdfast/kit/sealedBox';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { InDialect } from './dialects.ts';

export type Message = SigningSecrets & {
  url: string;
  eventId: string;
  id?: string;
  executionId?: string | null;
  eventType?: string;
  /** Null: the body as it is. */
  dialect?: WebhookDialect | null;
  traceparent: string | null;
  body: string;
  /** Sealed JSON, as in the database. */
  headers: string | null;
};

/** The message of a delivery: the same bytes on every attempt. */
export function messageOf(delivery: ClaimedDelivery): Message {
  const dialect = delivery.endpointId === null ? delivery.dialect : null;
  return { ...delivery, dialect, body: deliveryBody(delivery) };
}

/** Signs and posts a message; never rejects. */
export type Send = (message: Message) => Promise<PostResult | Unprepared>;

/** Nothing was sent, and the fault is ours. */
export type Unprepared = { ok: false; stage: 'unprepared'; message: string; durationMs: 0 };

export function createSend(args: {
  policy: EgressPolicy;
  box: SealedBox;
  inDialect: InDialect;
  stopped: AbortSignal;
  log: Logger;
}): Send {
  const headersOf = createHeaders(args.box);
  return async (message) => {
    let headers: Record<string, string>;
    let body: string;
    try {
      const made = await madeOf(args.inDialect, message);
      body = made.body;
      headers = { ...headersOf({ ...message, body }), ...made.headers };
    } catch (error) {
      const { id: deliveryId, eventId, executionId } = message;
      const reason = reasonOf(error);
      args.log.error({ deliveryId, eventId, executionId, reason }, 'could not prepare a webhook');
      return {
        ok: false,
        stage: 'unprepared',
        message: 'its body or its secret could not be read',
        durationMs: 0,
      };
    }
    return await postJson({
      url: message.url,
      body,
      headers,
      policy: args.policy,
      timeoutMs: limits.webhookTimeoutMs,
      maxResponseBytes: limits.webhookResponseBytes,
      signal: args.stopped,
    });
  };
}

async function madeOf(inDialect: InDialect, { dialect, eventType = '', executionId, body }: Message) {
  if (!dialect || !executionId) return { body, headers: {} };
  return await inDialect({ dialect, eventType, executionId });
}

/** The message of a parse error quotes the secret text that was parsed. */
function reasonOf(error: unknown): string {
  const quotesInput = error instanceof SyntaxError || error instanceof z.ZodError;
  return !quotesInput && error instanceof Error
    ? error.message
    : 'the custom headers are not an object of strings';
}

const customHeaders = z.record(z.string(), z.string());

/** The headers of a message, signed now. What was opened with the box is cached. */
function createHeaders(box: SealedBox): (message: Message) => Record<string, string> {
  // Some 5000 secrets.
  const keys = cacheBySealed((sealed) => signingKeys(box.open(sealed)), 524_288);
  const customs = cacheBySealed((sealed) => customHeaders.parse(JSON.parse(box.open(sealed))), 4_194_304);

  function signersOf({ secret, previousSecret, isPreviousPrimary }: SigningSecrets): Signers {
    const previous = previousSecret === null ? null : keys.memo(previousSecret);
    return { current: keys.memo(secret), previous, isPreviousPrimary };
  }

  return (message) => {
    const { headers, eventId, body, traceparent } = message;
    const timestampS = Math.floor(Date.now() / 1000);
    const ours = {
      'Content-Type': 'application/json',
      'User-Agent': 'Holdfast-Webhooks/1.0',
      ...signatureHeaders({ signers: signersOf(message), eventId, body, timestampS }),
      ...(traceparent !== null && { traceparent }),
    };
    return headers === null ? ours : { ...allowedHeaders(customs.memo(headers), ours), ...ours };
  };
}

/** Keyed by sealed texts, which have at most `maxLength` characters together. */
function cacheBySealed<Value extends object>(open: (sealed: string) => Value, maxLength: number) {
  return new LRUCache<string, Value>({
    maxSize: maxLength,
    sizeCalculation: (_value, sealed) => sealed.length,
    memoMethod: open,
  });
}

/** Custom headers with these names, or with a name that we send, would change the request itself. */
const refusedHeaders =
  /^(host|content-.*|transfer-encoding|connection|keep-alive|te|trailer|upgrade|expect|proxy-.*)$/i;

function allowedHeaders(
  custom: Record<string, string>,
  ours: Record<string, string>,
): Record<string, string> {
  const taken = new Set(Object.keys(ours).map((name) => name.toLowerCase()));
  const allowed = ([name]: [string, string]) => !taken.has(name.toLowerCase()) && !refusedHeaders.test(name);
  return Object.fromEntries(Object.entries(custom).filter(allowed));
}
