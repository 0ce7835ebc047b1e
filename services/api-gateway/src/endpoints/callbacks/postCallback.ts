import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { type InboxState, readInboxState, storeCallback } from '@holdfast/db/callbacks';
import { isCallbackHeader } from '@holdfast/domain/callbackHeaders';
import { ApiError } from '@holdfast/domain/errors';
import { newId } from '@holdfast/domain/ids';
import { limits } from '@holdfast/domain/limits';
import { z } from 'zod';
import { callerlessEndpoint } from '../../http/endpoint.ts';
import { notFound } from '../../http/fields.ts';

export const postCallback = callerlessEndpoint({
  method: 'POST',
  path: '/v1/callbacks/{provider}/{token}',
  tag: 'Callbacks',
  summary: 'What providers call back',
  description:
    'The token belongs to one attempt at this provider. What is sent is kept as it is, and verified before it is believed.',
  access: 'anyone',
  limit: 'callback',
  rawBodyBytes: limits.callbackBodyBytes,
  params: z.object({ provider: z.string().max(64), token: z.string().max(128) }),
  responses: {
    200: {
      description: 'It is kept',
      schema: z.object({ received: z.literal(true) }).meta({ id: 'Received' }),
    },
  },
  async admit({ context, params }) {
    requireRoom(await readInboxState(context.db, params));
  },
  async handle({ context, params, body, headers }) {
    const id = newId('cbk');
    const kept = keptHeaders(headers);
    const room = await storeCallback(context.db, {
      id,
      ...params,
      eventKey: eventKey(kept, body),
      headers: kept,
      body,
    });
    requireRoom(room);
    void context.callbacks.add({ callbackId: id });
    return { status: 200, body: { received: true } };
  },
});

function requireRoom(room: InboxState): void {
  if (room === 'unknown') throw notFound('callback');
  if (room === 'full') {
    throw new ApiError('RATE_LIMITED', 'Too many callbacks wait.', { headers: { 'Retry-After': '15' } });
  }
}

/**
 * A repeat has the same bytes and the same signature; with less, a forgery would take the place of the real one, and one
 * that came too late that of the same one signed anew.
 */
function eventKey(headers: Record<string, string>, body: Buffer): string {
  const signed = Object.entries(headers)
    .filter(([name]) => name !== 'content-type')
    .map(([name, value]) => `${name}: ${value}\n`);
  const digest = createHash('sha256').update(signed.toSorted().join('')).update(body).digest('hex');
  return `${headers['webhook-id']?.slice(0, 255) ?? ''} ${digest}`.trim();
}

function keptHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => isCallbackHeader(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
}
