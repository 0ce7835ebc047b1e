import { expect, it } from '@jest/globals';
import { withoutSecrets } from './providerText.ts';

const connection = {
  baseUrl: 'http://operator:p%40ssword1@gpu:5000',
  apiKey: 'r8_abcdefgh',
  settings: { WEBHOOK_SECRET: 'whsec_abcdef' },
};

it('a text of a provider is shown without our keys', () => {
  const text = 'Bearer r8_abcdefgh, whsec_abcdef, p@ssword1';
  expect(withoutSecrets(text, connection)).toBe('Bearer [key], [key], [key]');
});

it('a text of a provider cannot move the cursor, set the title or ring the bell', () => {
  expect(withoutSecrets('a\u001b]0;x\u0007b\u009b2Jc\rd\te\nf', connection)).toBe(
    'a\ufffd]0;x\ufffdb\ufffd2Jc\ufffdd\te\nf',
  );
  expect(withoutSecrets('größer', undefined)).toBe('größer');
});
