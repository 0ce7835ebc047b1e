import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { Database } from './client.ts';
import { faultOf } from './faults.ts';
import { openReader } from './reader.ts';

const log = {} as Parameters<typeof openReader>[2];
const primary = { pool: { options: { max: 4 } } } as Database;

/** A reader, and its reads that have begun, by owner. */
function openStage(how: 'read' | 'readPrimary' = 'read') {
  const begun: string[] = [];
  const end = Promise.withResolvers<void>();
  const reader = openReader(primary, null, log);
  const read = (owner: string) =>
    reader[how](owner, async () => {
      begun.push(owner);
      await end.promise;
    });
  return { begun, read, end: end.resolve };
}

afterEach(() => void jest.useRealTimers());

describe('the reads of one owner', () => {
  it.each(['read', 'readPrimary'] as const)(
    'get half of the connections, each in its turn (%s)',
    async (how) => {
      const { begun, read, end } = openStage(how);
      const reads = ['a', 'a', 'a', 'a', 'b'].map(read);
      expect(begun).toEqual(['a', 'a', 'b']);
      end();
      await Promise.all(reads);
      expect(begun).toEqual(['a', 'a', 'b', 'a', 'a']);
    },
  );

  it('that wait for ten seconds are refused, as at a pool', async () => {
    jest.useFakeTimers();
    const { read, end } = openStage();
    const reads = ['a', 'a', 'a'].map(read);
    jest.advanceTimersByTime(10_000);
    end();
    const [first, , last] = await Promise.allSettled(reads);
    expect([first?.status, last?.status]).toEqual(['fulfilled', 'rejected']);
    expect(last?.status === 'rejected' && faultOf(last.reason)).toBe('exhausted');
  });
});
