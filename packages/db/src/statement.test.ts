import { newId } from '@holdfast/domain/ids';
import { describe, expect, it } from '@jest/globals';
import { firstId, firstIdSince } from './statement.ts';

/** An id as it would have been made then. */
function idOf(prefix: string, iso: string): string {
  const hex = Date.parse(iso).toString(16).padStart(12, '0');
  return `${prefix}_${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

describe('the first id', () => {
  it('precedes all ids created with these or a day earlier, with any prefix', () => {
    const first = firstId('exec', [idOf('evt', '2026-03-15T06:00:00Z'), idOf('evt', '2026-03-14T00:00:00Z')]);
    expect(first < idOf('exec', '2026-03-13T00:00:00Z')).toBe(true);
    expect(firstId('exec', [newId('att')]) < newId('exec')).toBe(true);
  });

  it('excludes earlier months', () => {
    expect(
      firstId('exec', [idOf('att', '2026-03-15T06:00:00Z')]) > idOf('exec', '2026-02-28T23:59:59Z'),
    ).toBe(true);
  });

  it('precedes all ids when an id has no time', () => {
    expect(firstId('exec', ['att_?', newId('att')])).toBe('exec_');
    expect(firstId('exec', [])).toBe('exec_');
  });

  it('since a time precedes all ids created from then on', () => {
    const time = Date.parse('2026-03-15T06:00:00Z');
    expect(firstIdSince('exec', time) < idOf('exec', '2026-03-15T06:00:00Z')).toBe(true);
    expect(firstIdSince('exec', time) > idOf('exec', '2026-02-28T23:59:59Z')).toBe(true);
    expect(firstIdSince('exec', -1)).toBe('exec_');
  });
});
