import { cpus } from 'node:os';
import { describe, expect, it } from '@jest/globals';
import { readBusyMs, shareOfOthers, warnOfOthers } from './others.ts';

describe('what others take of the machine', () => {
  it('is busy with all but idling and waiting for disks', () => {
    expect(readBusyMs('cpu  100 10 50 9999 8888 1 2 4 0 0\ncpu0 1 1 1 1\n')).toBe(1670);
  });

  it('is what was not ours, of all cores', () => {
    const cores = cpus().length;
    expect(shareOfOthers({ busyMs: 900 * cores, oursMs: 650 * cores, elapsedMs: 1000 })).toBe(0.25);
    expect(shareOfOthers({ busyMs: 10, oursMs: 20, elapsedMs: 1000 })).toBe(0);
  });

  it('is told where it was more than a tenth', () => {
    expect(warnOfOthers({ creates: 0.1, lone: 0 })).toBeNull();
    expect(warnOfOthers({ creates: 0.42, lone: 0 })).toContain('creates 42 %');
  });
});
