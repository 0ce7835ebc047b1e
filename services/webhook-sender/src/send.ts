import type { SigningSecrets } from '@holdfast/db/webhooks/secrets';
import { limits } from '@holdfast/domain/limits';
import { type Signers, signingKeys } from '@holdfast/domain/webhookSignature';
import type { EgressPolicy } from '@holdfast/egress/policy';
import { type PostResult, postJson } from '@holdfast/egress/post';
import type { Logger } from '@holdfast/kit/logger';
import type { SealedBox } from '@holdfast/kit/sealedBox';
import { z } from 'zod';
import { remembering } from './remembering.ts';
import { requestHeaders } from './requestHeaders.ts';

export type Message = SigningSecrets & {
  url: string;
  eventId: string;
  /** For the log; absent from a test call. */
  id?: string;
  executionId?: string | null;
  /** Sent as a header; null: none. */
  traceparent: string | null;
  body: string;
  /** Sealed JSON, as in the database. */
  headers: string | null;
};

/** Signs and posts a message. Never rejects; `unprepared`: nothing was sent, and the fault is ours. */
export type Send = (message: Message) => Promise<PostResult | Unprepared>;
export type Unprepared = { ok: false; stage: 'unprepared'; message: string; durationMs: 0 };

const customHeaders = z.record(z.string(), z.string());

/** `stopped` ends what is in flight. */
export function createSend(args: {
  policy: EgressPolicy;
  box: SealedBox;
  stopped: AbortSignal;
  log: Logger;
}): Send {
  const { policy, box, stopped, log } = args;

  // Some 5000 secrets.
  const keysOf = remembering((sealed) => signingKeys(box.open(sealed)), 524_288);
  const customOf = remembering((sealed) => customHeaders.parse(JSON.parse(box.open(sealed))), 4_194_304);

  function signersOf({ secret, previousSecret, isPreviousPrimary }: SigningSecrets): Signers {
    const previous = previousSecret === null ? null : keysOf(previousSecret);
    return { current: keysOf(secret), previous, isPreviousPrimary };
  }

  function headersOf(message: Message): Record<string, string> {
    const { headers, eventId, body, traceparent } = message;
    const custom = headers === null ? {} : customOf(headers);
    return requestHeaders({ custom, signers: signersOf(message), eventId, body, traceparent });
  }

  return async (message) => {
    const { url, body } = message;
    let headers: Record<string, string>;
    try {
      headers = headersOf(message);
    } catch (error) {
      const { id: deliveryId, eventId, executionId } = message;
      log.error(
        { deliveryId, eventId, executionId, reason: reasonOf(error) },
        'a webhook could not be prepared',
      );
      return { ok: false, stage: 'unprepared', message: 'its secret could not be opened', durationMs: 0 };
    }
    return await postJson({
      url,
      body,
      headers,
      policy,
      timeoutMs: limits.webhookTimeoutMs,
      maxResponseBytes: limits.webhookResponseBytes,
      signal: stopped,
    });
  };
}

/** A parser's message quotes what it read: secrets. */
function reasonOf(error: unknown): string {
  const isQuoting = error instanceof SyntaxError || error instanceof z.ZodError;
  return !isQuoting && error instanceof Error
    ? error.message
    : 'its custom headers are not an object of texts';
}
