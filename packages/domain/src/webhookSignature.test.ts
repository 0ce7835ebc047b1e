import { describe, expect, it } from '@jest/globals';
import { newWebhookSecret, signatureHeaders } from './webhookSignature.ts';

describe('a webhook signature', () => {
  it('is the one that openssl computes', () => {
    // printf '1700000000.{"a":"ö"}' | openssl dgst -sha256 -hmac 'whsec_AAAA...'
    const secret = `whsec_${Buffer.alloc(32).toString('base64')}`;
    const headers = signatureHeaders({
      secret,
      eventId: 'evt_1',
      timestampS: 1_700_000_000,
      body: '{"a":"ö"}',
    });
    expect(headers).toEqual({
      'X-Signature-Timestamp': '1700000000',
      'X-Signature': '2e276a223e9e2aabd7a392150927024a8f1debdbdc710329ad61f9c65ba754bc',
      'webhook-id': 'evt_1',
      'webhook-timestamp': '1700000000',
      'webhook-signature': 'v1,eUXvOeiDNu+HcslQc0WYOExrwvJlvaMD24Y6yGv2Zwg=',
    });
  });

  it('has a secret of 32 bytes, new each time', () => {
    const secret = newWebhookSecret();
    expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).toHaveLength(32);
    expect(newWebhookSecret()).not.toBe(secret);
  });
});
