import { createHash, type Hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { calledBackAttempt, type InboxState, readInboxState, storeCallback } from '@holdfast/db/callbacks';
import { isCallbackHeader } from '@holdfast/domain/callbackHeaders';
import { ApiError } from '@holdfast/domain/errors';
import { newId } from '@holdfast/domain/ids';
import { limits } from '@holdfast/domain/limits';
import { z } from 'zod';
import { keylessEndpoint } from '../../context/endpoint.ts';
import { declaredBytes } from '../../http/body.ts';
import { notFound } from '../../http/fields.ts';
import { storeLargeCallback } from './largeCallback.ts';

export const postCallback = keylessEndpoint({
  method: 'POST',
  path: '/v1/callbacks/{provider}/{token}',
  tag: 'Callbacks',
  summary: 'Receive a provider callback',
  description:
    'The token belongs to one attempt at this provider. The request is stored, decompressed if necessary, and verified before it is used.',
  access: 'anyone',
  limit: 'callback',
  rawBody: {
    bufferedBytes: limits.callbackBodyBytes,
    maxBytes: limits.providerBodyBytes,
    decompresses: true,
  },
  params: z.object({ provider: z.string().max(64), token: z.string().max(128) }),
  responses: {
    200: {
      description: 'The callback is stored',
      schema: z.object({ received: z.literal(true) }).meta({ id: 'Received' }),
    },
  },
  sender: ({ token }) => token,
  async admit({ context, params }) {
    requireRoom(await readInboxState(context.db, params));
  },
  async onRefused({ context, params, error }) {
    if (!(error instanceof ApiError)) return;
    const attempt = await calledBackAttempt(context.db, params);
    const { provider } = params;
    context.log.warn(
      { executionId: attempt?.executionId, provider, reason: error.message },
      'callback refused',
    );
  },
  async handle({ context, params, body, headers }) {
    const id = newId('cbk');
    const signed = callbackHeaders(headers);
    const callback = { id, ...params, headers: signed };
    if (Buffer.isBuffer(body)) {
      const eventKey = eventKeyOf(signed, digestOf(signed).update(body));
      requireRoom((await storeCallback(context.db, { ...callback, eventKey, body })).room);
    } else {
      const sizeBytes = declaredBytes(headers);
      const digest = digestOf(signed);
      const eventKey = () => eventKeyOf(signed, digest);
      requireRoom(await storeLargeCallback(context, callback, { body, sizeBytes, digest, eventKey }));
    }
    void context.callbacks.add({ callbackId: id });
    return { status: 200, body: { received: true } };
  },
});

function requireRoom(room: InboxState): void {
  if (room === 'unknown') throw notFound('callback');
  if (room === 'full') {
    throw new ApiError('RATE_LIMITED', 'Too many callbacks of this attempt are pending.', {
      headers: { 'Retry-After': '15' },
    });
  }
}

/**
 * Covers the signed headers and, once updated, the body. With less, a forgery would replace the real callback, and a late
 * one would replace the same one signed anew.
 */
function digestOf(headers: Record<string, string>): Hash {
  const signed = Object.entries(headers)
    .filter(([name]) => name !== 'content-type')
    .map(([name, value]) => `${name}: ${value}\n`);
  return createHash('sha256').update(signed.toSorted().join(''));
}

function eventKeyOf(headers: Record<string, string>, digest: Hash): string {
  return `${headers['webhook-id']?.slice(0, 255) ?? ''} ${digest.digest('hex')}`.trim();
}

function callbackHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const entries = Object.entries(headers).filter(([name]) => isCallbackHeader(name));
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
}
