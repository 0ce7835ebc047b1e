import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type FakeServer, startFakeServer } from '../conformance/fakeServer.ts';
import { createKeySet, type KeySet } from './keySet.ts';

let fakeServer: FakeServer;
let keys: KeySet;
let nowMs: number;

beforeEach(async () => {
  fakeServer = await startFakeServer();
  nowMs = 1_000_000;
  keys = createKeySet(`${fakeServer.baseUrl}/jwks.json?v=1`, () => nowMs);
});

afterEach(async () => {
  keys.close();
  await fakeServer.close();
});

function newKey(): { jwk: object; fits: (key: KeyObject) => boolean } {
  const key = createPublicKey(generateKeyPairSync('ed25519').privateKey);
  return { jwk: key.export({ format: 'jwk' }), fits: (other) => key.equals(other) };
}

const jwks = (...all: object[]) => ({ status: 200, json: { keys: all } });
const [old, fresh] = [newKey(), newKey()];

describe('the keys that sign webhooks', () => {
  it('are cached for a day', async () => {
    fakeServer.reply(jwks({ kty: 'RSA' }, old.jwk));
    expect(await Promise.all([keys.some(old.fits), keys.some(old.fits)])).toEqual([true, true]);
    nowMs += 23 * 3_600_000;
    expect(await keys.some(old.fits)).toBe(true);
    expect(fakeServer.received.map(({ path }) => path)).toEqual(['/jwks.json?v=1']);
    expect(fakeServer.received[0]?.headers.authorization).toBeUndefined();
    nowMs += 2 * 3_600_000;
    expect(await keys.some(old.fits)).toBe(true);
    expect(fakeServer.received).toHaveLength(2);
  });

  it('are fetched again when none matches, at most once a minute', async () => {
    fakeServer.reply(jwks(old.jwk));
    await keys.some(old.fits);
    fakeServer.reply(jwks(fresh.jwk));
    nowMs += 59_000;
    expect(await keys.some(fresh.fits)).toBe(false);
    nowMs += 2000;
    expect(await keys.some(fresh.fits)).toBe(true);
    expect(await keys.some(old.fits)).toBe(false);
    expect(fakeServer.received).toHaveLength(2);
  });

  it('leave the verification open when they cannot be fetched', async () => {
    fakeServer.reply({ status: 500 });
    expect(await keys.some(old.fits)).toBeNull();
    const nowhere = createKeySet('no URL');
    expect(await nowhere.some(old.fits)).toBeNull();
    nowhere.close();
  });

  it('are not fetched again for every forged webhook when they cannot be fetched', async () => {
    fakeServer.reply({ status: 500 });
    for (let forgeries = 0; forgeries < 10; forgeries += 1) expect(await keys.some(old.fits)).toBeNull();
    expect(fakeServer.received).toHaveLength(1);
    fakeServer.reply(jwks(old.jwk));
    nowMs += 5000;
    expect(await keys.some(old.fits)).toBe(true);
    fakeServer.reply({ status: 500 });
    nowMs += 61_000;
    for (let forgeries = 0; forgeries < 10; forgeries += 1) expect(await keys.some(fresh.fits)).toBeNull();
    expect(fakeServer.received).toHaveLength(3);
    expect(await keys.some(old.fits)).toBe(true);
  });
});
