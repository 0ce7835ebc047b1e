import { limits } from '@holdfast/domain/limits';
import type { EgressPolicy } from '@holdfast/egress/policy';
import { type PostResult, postJson } from '@holdfast/egress/post';
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
}): Send {
  const { policy, openSecret, stopped } = args;

  function headersOf({ secret, headers, eventId, body }: Message): Record<string, string> {
    const custom = headers === null ? {} : customHeaders.parse(JSON.parse(openSecret(headers)));
    return requestHeaders({ custom, secret: openSecret(secret), eventId, body });
  }

  return async (message) => {
    const { url, body } = message;
    let headers: Record<string, string>;
    try {
      headers = headersOf(message);
    } catch {
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
