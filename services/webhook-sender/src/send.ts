import { limits } from '@holdfast/domain/limits';
import type { EgressPolicy } from '@holdfast/egress/policy';
import { type PostResult, postJson } from '@holdfast/egress/post';
import type { Logger } from '@holdfast/kit/logger';
import { z } from 'zod';
import { requestHeaders } from './requestHeaders.ts';
import type { OpenSecret } from './secrets.ts';

export type Message = {
  url: string;
  eventId: string;
  body: string;
  /** Sealed, as in the database. */
  secret: string;
  headers: string | null;
};

/** Signs and posts a message. Never rejects; `unprepared`: nothing was sent, and the fault is ours. */
export type Send = (message: Message) => Promise<PostResult | Unprepared>;
export type Unprepared = { ok: false; stage: 'unprepared'; message: string; durationMs: 0 };

const customHeaders = z.record(z.string(), z.string());

/** `stopped` ends what is in flight. */
export function createSend(args: {
  policy: EgressPolicy;
  openSecret: OpenSecret;
  stopped: AbortSignal;
  log: Logger;
}): Send {
  const { policy, openSecret, stopped, log } = args;

  function headersOf({ secret, headers, eventId, body }: Message): Record<string, string> {
    const custom = headers === null ? {} : customHeaders.parse(JSON.parse(openSecret(headers)));
    return requestHeaders({ custom, secret: openSecret(secret), eventId, body });
  }

  return async (message) => {
    const { url, body } = message;
    let headers: Record<string, string>;
    try {
      headers = headersOf(message);
    } catch (error) {
      log.error({ eventId: message.eventId, reason: reasonOf(error) }, 'a webhook could not be prepared');
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
