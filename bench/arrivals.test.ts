import { afterAll, describe, expect, it } from '@jest/globals';
import { openArrivals, startCountingReceiver } from './arrivals.ts';
import type { Arrival } from './receiver.ts';

const arrival = (eventId: string, atMs = 0): Arrival => ({
  path: '/',
  eventId,
  executionId: '',
  type: 'execution.completed',
  eventAtMs: 0,
  atMs,
});

describe('the arrivals at a receiver', () => {
  it('contain each expected id once, in the order in which it is expected, and the repeats apart', async () => {
    const arrivals = openArrivals(({ eventId }) => eventId);
    arrivals.add([arrival('evt_2', 20), arrival('evt_1', 10), arrival('evt_2', 30)]);
    const found = await arrivals.of(['evt_1', 'evt_2']);
    expect(found.map(({ eventId, atMs }) => [eventId, atMs])).toEqual([
      ['evt_1', 10],
      ['evt_2', 20],
    ]);
    expect([...arrivals.repeated()]).toEqual([['evt_2', 1]]);
  });

  it('are complete when the last expected id comes, whatever else arrives meanwhile', async () => {
    const arrivals = openArrivals(({ eventId }) => eventId);
    const complete = arrivals.of(['evt_1', 'evt_2']);
    arrivals.add([arrival('evt_1'), arrival('evt_other'), arrival('evt_1')]);
    await expect(
      Promise.race([complete, new Promise((resolve) => setImmediate(resolve, undefined))]),
    ).resolves.toBeUndefined();
    expect(arrivals.missing(['evt_1', 'evt_2'])).toEqual(['evt_2']);
    arrivals.add([arrival('evt_2')]);
    expect(await complete).toHaveLength(2);
  });

  it('name the missing ids when none of them comes any more', async () => {
    const arrivals = openArrivals(({ eventId }) => eventId, 1);
    arrivals.add([arrival('evt_1')]);
    await expect(arrivals.of(['evt_1', 'evt_2', 'evt_3'])).rejects.toThrow(
      /^2 webhooks are missing, .*: evt_2, evt_3$/,
    );
  });
});

describe('a receiver of webhooks', () => {
  const open: (() => Promise<void>)[] = [];
  afterAll(() => Promise.all(open.map((close) => close())));

  it('counts a delivery that came before anything waited for it, and no bare post of the same event', async () => {
    const receiver = await startCountingReceiver('node', ({ path, eventId }) =>
      path === '/deliveries' ? eventId : null,
    );
    open.push(receiver.close);
    const send = async (path: string, id: string) => {
      const body = JSON.stringify({ id, type: 'execution.completed', timestamp: new Date().toISOString() });
      const { status } = await fetch(receiver.url + path, { method: 'POST', body });
      expect(status).toBe(204);
    };
    await send('/bare', 'evt_1');
    await send('/bare', 'evt_2');
    // A sweep of the sender delivers it while the queue is still paused.
    await send('/deliveries', 'evt_1');
    const both = receiver.of(['evt_1', 'evt_2']);
    await send('/deliveries', 'evt_2');
    expect((await both).map(({ path, eventId }) => [path, eventId])).toEqual([
      ['/deliveries', 'evt_1'],
      ['/deliveries', 'evt_2'],
    ]);
    expect(receiver.repeated().size).toBe(0);
  });
});
