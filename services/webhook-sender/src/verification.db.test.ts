import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { rotateEndpointSecret, rotateWebhookSecret } from '@holdfast/db/webhooks/secrets';
import { newId } from '@holdfast/domain/ids';
import { newWebhookSecret } from '@holdfast/domain/webhookSignature';
import { until } from '@holdfast/testkit/until';
import type { Received } from '@holdfast/testkit/webhookReceiver';
import { describe, expect, it } from '@jest/globals';
import * as standardwebhooks from 'standardwebhooks';
import * as svix from 'svix';
import { useStage } from './testing/stage.ts';

const stage = await useStage();

type Owner = {
  secret: string;
  /** Publishes an event and returns the request that delivers it. */
  receive(): Promise<Received>;
  rotate(overlapMs: number, keepsPrimary?: boolean): Promise<string>;
};

async function receive(webhookUrl?: string): Promise<Received> {
  const before = stage.receiver.received.length;
  const fields = webhookUrl === undefined ? {} : { webhookUrl };
  await stage.publish('execution.completed', fields);
  return await until('the delivery', () => stage.receiver.received[before]);
}

const rotation = (secret: string, overlapMs: number, keepsPrimary: boolean) => ({
  sealedSecret: stage.box.seal(secret),
  overlapMs,
  keepsPrimary,
});

async function endpoint(): Promise<Owner> {
  const { id, secret } = await stage.addEndpoint(stage.organization.id, stage.receiver.url);
  return {
    secret,
    receive: () => receive(),
    async rotate(overlapMs, keepsPrimary = false) {
      const next = newWebhookSecret();
      await rotateEndpointSecret(
        stage.db,
        stage.organization.id,
        id,
        rotation(next, overlapMs, keepsPrimary),
      );
      return next;
    },
  };
}

async function webhookUrl(): Promise<Owner> {
  return {
    secret: stage.organization.secret,
    receive: () => receive(stage.receiver.url),
    async rotate(overlapMs, keepsPrimary = false) {
      const next = newWebhookSecret();
      await rotateWebhookSecret(stage.db, stage.organization.id, rotation(next, overlapMs, keepsPrimary));
      return next;
    },
  };
}

/** Without headers that occur more than once. */
const plain = (headers: IncomingHttpHeaders) =>
  Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );

const libraries = { standardwebhooks, svix };

/** @throws when the library rejects the delivery */
const verify = (
  library: keyof typeof libraries,
  secret: string,
  { headers, body }: Received,
  received = body,
) => void new libraries[library].Webhook(secret).verify(received, plain(headers));

describe.each(Object.keys(libraries) as (keyof typeof libraries)[])('the package %s', (library) => {
  it.each([
    ['an endpoint', endpoint],
    ['a webhook_url', webhookUrl],
  ])('accepts a delivery to %s and rejects a changed one', async (_to, ownerOf) => {
    const owner = await ownerOf();
    const delivery = await owner.receive();
    verify(library, owner.secret, delivery);
    expect(() => verify(library, owner.secret, delivery, `${delivery.body} `)).toThrow();
    expect(() => verify(library, newWebhookSecret(), delivery)).toThrow();
    const headers = { ...delivery.headers, 'webhook-id': newId('evt') };
    expect(() => verify(library, owner.secret, { ...delivery, headers })).toThrow();
  });

  it.each([
    ['an endpoint', endpoint],
    ['a webhook_url', webhookUrl],
  ])('accepts the old secret and the new one while the secret of %s is rotated', async (_to, ownerOf) => {
    const owner = await ownerOf();
    const second = await owner.rotate(60_000);
    const both = await owner.receive();
    for (const secret of [owner.secret, second]) {
      verify(library, secret, both);
      expect(() => verify(library, secret, both, both.body.replace('COMPLETED', 'FAILED'))).toThrow();
    }

    const third = await owner.rotate(60_000);
    const later = await owner.receive();
    for (const secret of [second, third]) verify(library, secret, later);
    expect(() => verify(library, owner.secret, later)).toThrow();

    const last = await owner.rotate(0);
    const alone = await owner.receive();
    verify(library, last, alone);
    expect(() => verify(library, third, alone)).toThrow();
  });
});

describe.each([
  ['an endpoint', endpoint],
  ['a webhook_url', webhookUrl],
])('X-Signature of a delivery to %s', (_to, ownerOf) => {
  it('uses the new secret, or the old one until it expires if that stays primary', async () => {
    const owner = await ownerOf();
    const second = await owner.rotate(60_000);
    expectPrimary(await owner.receive(), second);
    const third = await owner.rotate(60_000, true);
    expectPrimary(await owner.receive(), second);
    await stage.db.pool.query(
      `UPDATE webhook_endpoints SET previous_secret_until = now() WHERE previous_secret IS NOT NULL`,
    );
    await stage.db.pool.query(`UPDATE organizations SET previous_webhook_secret_until = now()
       WHERE previous_webhook_secret IS NOT NULL`);
    const ended = await owner.receive();
    expectPrimary(ended, third);
    expect(ended.headers['webhook-signature']).toMatch(/^v1,[^ ]+$/);
  });
});

function expectPrimary({ headers, body }: Received, secret: string) {
  const text = `${String(headers['x-signature-timestamp'])}.${body}`;
  expect(headers['x-signature']).toBe(createHmac('sha256', secret).update(text).digest('hex'));
}
