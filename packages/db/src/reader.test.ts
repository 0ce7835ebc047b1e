import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { Database } from './client.ts';
import { openReader } from './reader.ts';

const log = {} as Parameters<typeof openReader>[2];
const primary = { pool: { options: { max: 4 } } } as Database;

/** A reader, and its reads that have begun, by owner. */
function openStage() {
  const begun: string[] = [];
  const end = Promise.withResolvers<void>();
  const reader = openReader(primary, null, log);
  const reading = (owner: string) => async () => {
    begun.push(owner);
    await end.promise;
  };
  return {
    begun,
    list: (owner: string) => reader.read(owner, reading(owner)),
    readRow: (owner: string) => reader.readPrimary(owner, reading(`${owner}'s row`)),
    end: end.resolve,
  };
}

afterEach(() => void jest.useRealTimers());

describe('the reads of one owner', () => {
  it('get a quarter of the connections for lists and half for rows, each in its turn', async () => {
    const { begun, list, readRow, end } = openStage();
    const reads = [...['a', 'a', 'b'].map(list), ...['a', 'a', 'a'].map(readRow)];
    const first = ['a', 'b', "a's row", "a's row"];
    expect(begun).toEqual(first);
    end();
    await Promise.all(reads);
    expect(begun.slice(first.length).toSorted()).toEqual(['a', "a's row"]);
  });

  it('that wait for ten seconds are refused, and never begin', async () => {
    jest.useFakeTimers();
    const { begun, list, end } = openStage();
    const [first, second] = ['a', 'a'].map(list);
    const refused = expect(second).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    jest.advanceTimersByTime(10_000);
    await refused;
    end();
    await first;
    await list('a');
    expect(begun).toEqual(['a', 'a']);
  });
});
