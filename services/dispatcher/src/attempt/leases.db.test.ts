import { markStopped } from '@holdfast/db/attempts/lease';
import { createLogger } from '@holdfast/kit/logger';
import { openTestDatabase } from '@holdfast/testkit/testDatabase';
import { afterAll, describe, expect, it } from '@jest/globals';
import { createLeases } from './leases.ts';

const log = createLogger('test', 'silent');
const { db, close } = await openTestDatabase();

afterAll(close);

async function attempt(id: string): Promise<string> {
  await db.pool.query(
    `INSERT INTO attempts (id, execution_id, number, provider, state, token, lease_until)
     VALUES ($1, $1, 1, 'p', 'starting', $1, now() + interval '1 hour')`,
    [id],
  );
  return id;
}

async function isFree(id: string): Promise<boolean | undefined> {
  // Times are rounded to milliseconds, perhaps up.
  const text = "SELECT lease_until <= now() + interval '1 ms' AS free FROM attempts WHERE id = $1";
  return (await db.pool.query<{ free: boolean }>(text, [id])).rows[0]?.free;
}

describe('work on an attempt whose lease is not extended', () => {
  it('is aborted when the attempt has ended, but not when a former primary does not know it', async () => {
    const leases = createLeases(db, log);
    const ended = await attempt('att_ended');
    await markStopped(db, [ended]);
    const abortOf = (id: string) =>
      leases.hold(
        id,
        (signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason))),
      );
    const unknown = abortOf('att_unknown');
    expect(await abortOf(ended)).toBe('ended elsewhere');
    await leases.handBack(0);
    expect(await unknown).toBe('shutting down');
  });
});

it('work on an attempt ends at once when its execution is stopped by this process', async () => {
  const leases = createLeases(db, log);
  const work = leases.hold(
    await attempt('att_stopped'),
    (signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason))),
  );
  leases.end('att_stopped');
  expect(await work).toBe('ended elsewhere');
  await leases.handBack(0);
});

describe('work on an attempt at a stop', () => {
  it('may finish by itself', async () => {
    const leases = createLeases(db, log);
    let finish = () => {};
    const run = leases.hold(await attempt('att_quick'), async (signal) => {
      await new Promise<void>((resolve) => (finish = resolve));
      return signal.aborted;
    });
    expect(leases.has('att_quick')).toBe(true);
    const handedBack = leases.handBack(20_000);
    finish();
    await handedBack;
    expect([await run, leases.has('att_quick')]).toEqual([false, false]);
  });

  it('is aborted after the grace period, and its lease is released at once', async () => {
    const leases = createLeases(db, log);
    const run = leases.hold(
      await attempt('att_slow'),
      (signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason))),
    );
    await leases.handBack(50);
    expect(await run).toBe('shutting down');
    expect(await isFree('att_slow')).toBe(true);
  });

  it('is aborted although a callback for the same run was handled: its submit may never return', async () => {
    const leases = createLeases(db, log);
    const id = await attempt('att_called');
    const submit = leases.hold(
      id,
      (signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason))),
    );
    await leases.hold(id, async () => {});
    expect(leases.has(id)).toBe(true);
    await leases.handBack(50);
    expect(await submit).toBe('shutting down');
  });
});
