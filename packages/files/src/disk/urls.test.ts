import { describe, expect, it } from '@jest/globals';
import { type Grant, signUrl, verifyUrl } from './urls.ts';

const signer = { urlSecrets: ['a secret of sixteen'], publicUrl: 'https://files.example/base/' };
const grant: Grant = {
  method: 'PUT',
  key: 'org_a/file_1',
  expires: 2_000_000_000,
  sizeBytes: 10,
  contentType: 'image/png',
  filename: null,
};
const nowMs = 1_999_999_999_000;
const url = signUrl(signer, grant);

describe('signed URLs', () => {
  it('contain their grant, also as a path only', () => {
    expect(url.startsWith('https://files.example/base/storage/org_a/file_1?')).toBe(true);
    expect(verifyUrl(signer.urlSecrets, 'PUT', url, nowMs)).toEqual(grant);
    expect(
      verifyUrl(signer.urlSecrets, 'PUT', url.slice('https://files.example/base'.length), nowMs),
    ).toEqual(grant);
  });

  it.each([
    ['key', url.replace('file_1', 'file_2')],
    ['size', url.replace('size=10', 'size=11')],
    ['size left out', url.replace('size=10&', '')],
    ['type', url.replace('png', 'gif')],
    ['expiry', url.replace('2000000000', '2000000001')],
    ['a file name added', `${url}&filename=a`],
    ['signature left out', url.replace(/&signature=.*/, '')],
    ['signature cut', url.slice(0, -2)],
    ['signature extended', `${url}00`],
    ['signature extended by half a byte', `${url}0`],
    ['signature with an end that is not hexadecimal', `${url}zz`],
  ])('are invalid when changed: %s', (_part, changed) => {
    expect(changed).not.toBe(url);
    expect(verifyUrl(signer.urlSecrets, 'PUT', changed, nowMs)).toBeNull();
  });

  it('are invalid for another method, with another secret, and after their expiry', () => {
    expect(verifyUrl(signer.urlSecrets, 'GET', url, nowMs)).toBeNull();
    expect(verifyUrl(['another secret of ours'], 'PUT', url, nowMs)).toBeNull();
    expect(verifyUrl(signer.urlSecrets, 'PUT', url, 2_000_000_000_000)).toBeNull();
  });

  it('are signed with the first secret and verified with any', () => {
    const newer = { ...signer, urlSecrets: ['another secret of ours', ...signer.urlSecrets] };
    const signed = signUrl(newer, grant);
    expect(signed).not.toBe(url);
    expect(verifyUrl(newer.urlSecrets, 'PUT', url, nowMs)).toEqual(grant);
    expect(verifyUrl(newer.urlSecrets.toReversed(), 'PUT', signed, nowMs)).toEqual(grant);
    expect(verifyUrl(signer.urlSecrets, 'PUT', signed, nowMs)).toBeNull();
  });
});
