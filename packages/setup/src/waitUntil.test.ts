import { describe, expect, it } from '@jest/globals';
import { waitUntil } from './waitUntil.ts';

const patience = { forMs: 50, pauseMs: 5 };

describe('waiting for a server', () => {
  it('gives up when the server never responds, and names the server', async () => {
    const work = () => new Promise<never>(() => {});
    const waiting = waitUntil({ what: 'the store', work, passes: () => false, say: () => {} }, patience);
    await expect(waiting).rejects.toThrow('the store is not available after 0.05 s: no response');
  });

  it('fails at once on a permanent error', async () => {
    let tries = 0;
    const work = async () => {
      tries += 1;
      throw new Error('wrong password');
    };
    const waiting = waitUntil({ what: 'it', work, passes: () => false, say: () => {} }, patience);
    await expect(waiting).rejects.toThrow('wrong password');
    expect(tries).toBe(1);
  });

  it('retries a transient error, and reports it once', async () => {
    const said: string[] = [];
    let tries = 0;
    const patient = { ...patience, forMs: 60_000 };
    const work = async () => {
      tries += 1;
      if (tries < 3) throw new Error('not yet');
    };
    await waitUntil({ what: 'it', work, passes: () => true, say: (line) => said.push(line) }, patient);
    expect([tries, said]).toEqual([3, ['waiting up to 60 s for it: not yet']]);
  });
});
