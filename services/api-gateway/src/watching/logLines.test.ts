import { describe, expect, it } from '@jest/globals';
import { openLogLines } from './logLines.ts';
import { eventId, positionOf, startPosition } from './serverSentEvents.ts';

describe('the lines of a log', () => {
  it('are flushed once they are complete, in whatever pieces they arrive', () => {
    const lines = openLogLines(0);
    lines.add({ logFrom: 0, log: 'one\ntw' });
    expect([lines.flush(false), lines.received(), lines.flushed()]).toEqual([['one'], 6, 4]);
    lines.add({ logFrom: 6, log: 'o\r' });
    expect(lines.flush(false)).toEqual([]);
    lines.add({ logFrom: 8, log: '\n10%\r20%\nlast' });
    expect(lines.flush(false)).toEqual(['two', '10%', '20%']);
    expect(lines.flush(true)).toEqual(['last']);
    expect(lines.flushed()).toBe(lines.received());
  });

  it('skip characters that were already received', () => {
    const lines = openLogLines(4);
    lines.add({ logFrom: 0, log: 'one\ntwo\n' });
    expect(lines.flush(false)).toEqual(['two']);
    lines.add({ logFrom: null, log: null });
    expect([lines.flush(true), lines.received()]).toEqual([[], 8]);
  });

  it('count characters as the database does', () => {
    const lines = openLogLines(0);
    lines.add({ logFrom: 0, log: '😀é\nx' });
    expect([lines.flush(false), lines.flushed(), lines.received()]).toEqual([['😀é'], 3, 4]);
  });

  it('are cut where the log in between is no longer kept', () => {
    const lines = openLogLines(0);
    lines.add({ logFrom: 0, log: 'cut' });
    lines.flush(false);
    lines.add({ logFrom: 100, log: 'off\nnext\n' });
    expect(lines.flush(false)).toEqual(['cut', 'off', 'next']);
    lines.add({ logFrom: 200, log: null });
    expect([lines.flush(true), lines.received()]).toEqual([[], 200]);
  });

  it('are cut at the maximum length', () => {
    const lines = openLogLines(0);
    lines.add({ logFrom: 0, log: 'x'.repeat(16_384) });
    expect(lines.flush(false)).toEqual([]);
    lines.add({ logFrom: 16_384, log: 'y' });
    expect(lines.flush(false)).toEqual([`${'x'.repeat(16_384)}y`]);
  });
});

describe('the id of an event', () => {
  it.each([
    startPosition,
    { status: 'PROCESSING', progress: 0.35, queuePosition: 4, logs: 65_536 },
    { status: 'EXPIRED', progress: 1e-7, queuePosition: null, logs: 0 },
    { status: 'COMPLETED', progress: 0, queuePosition: 0, logs: 1 },
  ] as const)('keeps the position %j', (position) => {
    expect(positionOf(eventId(position))).toEqual(position);
  });

  it.each([undefined, '', '1', 'x:::0', '9:::0', '1:::', '1:0.5:2', '1:2x::0', `1:::${'9'.repeat(40)}`])(
    'means the start position when it is invalid: %j',
    (id) => {
      expect(positionOf(id)).toEqual(startPosition);
    },
  );
});
