import { describe, expect, it } from '@jest/globals';
import { openLogLines } from './logLines.ts';
import { beginning, eventId, positionOf } from './serverSentEvents.ts';

describe('the lines of a log', () => {
  it('are given once they are whole, however they came', () => {
    const lines = openLogLines(0);
    lines.take({ logFrom: 0, log: 'one\ntw' });
    expect([lines.give(false), lines.taken(), lines.given()]).toEqual([['one'], 6, 4]);
    lines.take({ logFrom: 6, log: 'o\r' });
    expect(lines.give(false)).toEqual([]);
    lines.take({ logFrom: 8, log: '\n10%\r20%\nlast' });
    expect(lines.give(false)).toEqual(['two', '10%', '20%']);
    expect(lines.give(true)).toEqual(['last']);
    expect(lines.given()).toBe(lines.taken());
  });

  it('pass over what another has asked for and this one has', () => {
    const lines = openLogLines(4);
    lines.take({ logFrom: 0, log: 'one\ntwo\n' });
    expect(lines.give(false)).toEqual(['two']);
    lines.take({ logFrom: null, log: null });
    expect([lines.give(true), lines.taken()]).toEqual([[], 8]);
  });

  it('count characters as the database does', () => {
    const lines = openLogLines(0);
    lines.take({ logFrom: 0, log: '😀é\nx' });
    expect([lines.give(false), lines.given(), lines.taken()]).toEqual([['😀é'], 3, 4]);
  });

  it('end where the log that is kept no longer goes back to', () => {
    const lines = openLogLines(0);
    lines.take({ logFrom: 0, log: 'cut' });
    lines.give(false);
    lines.take({ logFrom: 100, log: 'off\nnext\n' });
    expect(lines.give(false)).toEqual(['cut', 'off', 'next']);
    lines.take({ logFrom: 200, log: null });
    expect([lines.give(true), lines.taken()]).toEqual([[], 200]);
  });

  it('are cut when they never end', () => {
    const lines = openLogLines(0);
    lines.take({ logFrom: 0, log: 'x'.repeat(16_384) });
    expect(lines.give(false)).toEqual([]);
    lines.take({ logFrom: 16_384, log: 'y' });
    expect(lines.give(false)).toEqual([`${'x'.repeat(16_384)}y`]);
  });
});

describe('the id of an event', () => {
  it.each([
    beginning,
    { status: 'PROCESSING', progress: 0.35, queuePosition: 4, logs: 65_536 },
    { status: 'EXPIRED', progress: 1e-7, queuePosition: null, logs: 0 },
    { status: 'COMPLETED', progress: 0, queuePosition: 0, logs: 1 },
  ] as const)('holds %j', (position) => {
    expect(positionOf(eventId(position))).toEqual(position);
  });

  it.each([undefined, '', '1', 'x:::0', '9:::0', '1:::', '1:0.5:2', '1:2x::0', `1:::${'9'.repeat(40)}`])(
    'that is not ours says nothing: %j',
    (id) => {
      expect(positionOf(id)).toEqual(beginning);
    },
  );
});
