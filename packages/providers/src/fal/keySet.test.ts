import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Counterpart, startCounterpart } from '../conformance/counterpart.ts';
import { createKeySet, type KeySet } from './keySet.ts';

let counterpart: Counterpart;
let keys: KeySet;
let nowMs: number;

beforeEach(async () => {
  counterpart = await startCounterpart();
  nowMs = 1_000_000;
  keys = createKeySet(`${counterpart.baseUrl}/jwks.json?v=1`, () => nowMs);
});

afterEach(async () => {
  keys.close();
  await counterpart.close();
});

function newKey(): { jwk: object; fits: (key: KeyObject) => boolean } {
  const key = createPublicKey(generateKeyPairSync('ed25519').privateKey);
  return { jwk: key.export({ format: 'jwk' }), fits: (other) => key.equals(other) };
}

const jwks = (...all: object[]) => ({ status: 200, json: { keys: all } });
const [old, fresh] = [newKey(), newKey()];

describe('the keys that webhooks are signed with', () => {
  it('are kept for a day', async () => {
    counterpart.reply(jwks({ kty: 'RSA' }, old.jwk));
    expect(await Promise.all([keys.some(old.fits), keys.some(old.fits)])).toEqual([true, true]);
    nowMs += 23 * 3_600_000;
    expect(await keys.some(old.fits)).toBe(true);
    expect(counterpart.received.map(({ path }) => path)).toEqual(['/jwks.json?v=1']);
    expect(counterpart.received[0]?.headers.authorization).toBeUndefined();
    nowMs += 2 * 3_600_000;
    expect(await keys.some(old.fits)).toBe(true);
    expect(counterpart.received).toHaveLength(2);
  });

  it('are fetched again when none fits, once a minute at most', async () => {
    counterpart.reply(jwks(old.jwk));
    await keys.some(old.fits);
    counterpart.reply(jwks(fresh.jwk));
    nowMs += 59_000;
    expect(await keys.some(fresh.fits)).toBe(false);
    nowMs += 2000;
    expect(await keys.some(fresh.fits)).toBe(true);
    expect(await keys.some(old.fits)).toBe(false);
    expect(counterpart.received).toHaveLength(2);
  });

  it('that can not be had leave it open', async () => {
    counterpart.reply({ status: 500 });
    expect(await keys.some(old.fits)).toBeNull();
    const nowhere = createKeySet('no URL');
    expect(await nowhere.some(old.fits)).toBeNull();
    nowhere.close();
  });

  it('that can not be had are not asked for at every forgery', async () => {
    counterpart.reply({ status: 500 });
    for (let forgeries = 0; forgeries < 10; forgeries += 1) expect(await keys.some(old.fits)).toBeNull();
    expect(counterpart.received).toHaveLength(1);
    counterpart.reply(jwks(old.jwk));
    nowMs += 5000;
    expect(await keys.some(old.fits)).toBe(true);
    counterpart.reply({ status: 500 });
    nowMs += 61_000;
    for (let forgeries = 0; forgeries < 10; forgeries += 1) expect(await keys.some(fresh.fits)).toBeNull();
    expect(counterpart.received).toHaveLength(3);
    expect(await keys.some(old.fits)).toBe(true);
  });
});
