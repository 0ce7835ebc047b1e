import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { storeCallback } from '@holdfast/db/callbacks/store';
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
    'The token belongs to one attempt. What is sent is kept as it is, and verified before it is believed.',
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
  async handle({ context, params, body, headers }) {
    const id = newId('cbk');
    const isKnown = await storeCallback(context.db, {
      id,
      token: params.token,
      eventKey: eventKey(headers, body),
      headers: keptHeaders(headers),
      body,
    });
    if (!isKnown) throw notFound('callback');
    void context.callbacks.add({ callbackId: id });
    return { status: 200, body: { received: true } };
  },
});

/** A repeat has the same bytes; the provider's id alone would let a forgery take the place of the real one. */
function eventKey(headers: IncomingHttpHeaders, body: Buffer): string {
  const digest = createHash('sha256').update(body).digest('hex');
  return `${String(headers['webhook-id'] ?? '').slice(0, 255)} ${digest}`.trim();
}

/** What signatures are made of; nothing else is needed, least of all credentials. */
function keptHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => /^(webhook-|x-fal-|content-type$)/.test(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
}
