import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { WebhookVerificationError } from './errors.ts';
import { sign, unwrap } from './webhooks.ts';

const secret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
const other = 'whsec_AAAAsBQIhrscChlQIMV+b5sSYspob7oD';
const body = JSON.stringify({ id: 'evt_1', type: 'execution.completed', data: { text: 'é' } });
const now = () => Math.floor(Date.now() / 1000);

describe('a webhook', () => {
  it.each([
    ['text', body],
    ['bytes', new TextEncoder().encode(body)],
    ['an ArrayBuffer', new TextEncoder().encode(body).buffer],
  ])('is verified as %s', async (_name, raw) => {
    expect(await unwrap(raw, await sign(body, secret), secret)).toEqual(JSON.parse(body));
  });

  it('is verified with the signature that the service documents', async () => {
    const timestamp = String(now());
    const hex = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
    const headers = { 'X-Signature-Timestamp': timestamp, 'X-Signature': hex };
    expect(await unwrap(body, headers, secret)).toMatchObject({ id: 'evt_1' });
    const key = Buffer.from(secret.slice(6), 'base64');
    const standard = createHmac('sha256', key).update(`evt_1.${timestamp}.${body}`).digest('base64');
    const signed = {
      'webhook-id': 'evt_1',
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,x v1,${standard}`,
    };
    expect(await unwrap(body, new Headers(signed), secret)).toMatchObject({ id: 'evt_1' });
    await expect(unwrap(body, { ...signed, 'webhook-id': 'evt_2' }, secret)).rejects.toThrow(
      /does not match/,
    );
  });

  it('is signed with the id of its body, or a new one', async () => {
    expect((await sign(body, secret))['webhook-id']).toBe('evt_1');
    const ids = [await sign('{}', secret), await sign('{}', secret)].map((headers) => headers['webhook-id']);
    expect(ids[0]).toMatch(/^evt_[\da-f-]{36}$/);
    expect(ids[1]).not.toBe(ids[0]);
  });

  it('is verified with any of several secrets', async () => {
    expect(await unwrap(body, await sign(body, secret), [other, secret])).toMatchObject({ id: 'evt_1' });
  });

  it.each<[string, string, string, number]>([
    ['another body', `${body} `, secret, now()],
    ['another secret', body, other, now()],
    ['an old time', body, secret, now() - 301],
    ['a time to come', body, secret, now() + 3600],
  ])('is refused with %s', async (_name, raw, key, timestamp) => {
    const headers = await sign(body, secret, { timestamp });
    await expect(unwrap(raw, headers, key)).rejects.toBeInstanceOf(WebhookVerificationError);
  });

  it.each([{}, { 'x-signature': 'zz', 'x-signature-timestamp': String(now()) }, { 'x-signature': 'aa' }])(
    'is refused with the headers %j',
    async (headers) => {
      await expect(unwrap(body, headers, secret)).rejects.toBeInstanceOf(WebhookVerificationError);
    },
  );

  it('is not verified with a secret that was not configured', async () => {
    await expect(unwrap(body, {}, 'whsec_')).rejects.toBeInstanceOf(TypeError);
  });

  it('that was parsed already is a mistake of the program', async () => {
    await expect(unwrap(JSON.parse(body), await sign(body, secret), secret)).rejects.toBeInstanceOf(
      TypeError,
    );
  });
});
