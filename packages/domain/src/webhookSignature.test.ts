import { describe, expect, it } from '@jest/globals';
import { newWebhookSecret, type Signers, signatureHeaders, signingKeys } from './webhookSignature.ts';

const secretOf = (byte: number) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`;
const headersBy = (signers: Partial<Signers> = {}) =>
  signatureHeaders({
    signers: { current: signingKeys(secretOf(0)), previous: null, isPreviousPrimary: false, ...signers },
    eventId: 'evt_1',
    timestampS: 1_700_000_000,
    body: '{"a":"ö"}',
  });

// printf '1700000000.{"a":"ö"}' | openssl dgst -sha256 -hmac 'whsec_AAAA...'
const alone = {
  'X-Signature-Timestamp': '1700000000',
  'X-Signature': '2e276a223e9e2aabd7a392150927024a8f1debdbdc710329ad61f9c65ba754bc',
  'webhook-id': 'evt_1',
  'webhook-timestamp': '1700000000',
  'webhook-signature': 'v1,eUXvOeiDNu+HcslQc0WYOExrwvJlvaMD24Y6yGv2Zwg=',
};

describe('a webhook signature', () => {
  it('equals the one that openssl computes', () => {
    expect(headersBy()).toEqual(alone);
    expect(headersBy({ isPreviousPrimary: true })).toEqual(alone);
  });

  it('uses both secrets during a rotation, and X-Signature only the requested one', () => {
    const previous = signingKeys(secretOf(1));
    const old = headersBy({ current: previous });
    const both = `${alone['webhook-signature']} ${old['webhook-signature']}`;
    expect(headersBy({ previous })).toEqual({ ...alone, 'webhook-signature': both });
    expect(headersBy({ previous, isPreviousPrimary: true })).toEqual({
      ...old,
      'webhook-signature': both,
    });
  });

  it('uses a new secret of 32 bytes for each endpoint', () => {
    const secret = newWebhookSecret();
    expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).toHaveLength(32);
    expect(newWebhookSecret()).not.toBe(secret);
  });
});
