import { describe, expect, it } from '@jest/globals';
import { openHandles, ownProcesses, readBusyMs, readTimes, residentBytes, threadCpuMs } from './processes.ts';

describe('the processes in /proc', () => {
  it('have user and system time in milliseconds, whatever their name', () => {
    const stat = '42 (a) b (c) S 7 42 42 0 -1 4194560 1 2 3 4 150 25 3 4 20 0 1 0 5 6 7';
    expect(readTimes(stat)).toEqual({ name: 'a) b (c', parent: 7, cpuMs: 1750, endedMs: 70 });
    expect(readTimes('')).toBeNull();
  });

  it('make the machine busy with all but idling and waiting for disks', () => {
    expect(readBusyMs('cpu  100 10 50 9999 8888 1 2 4 0 0\ncpu0 1 1 1 1\n')).toBe(1670);
  });

  it('include this one, with its memory, CPU time and handles', () => {
    expect(ownProcesses().map(({ pid }) => pid)).toContain(process.pid);
    const resident = residentBytes(process.pid) ?? 0;
    const actual = process.memoryUsage.rss();
    expect(Math.abs(resident - actual) / actual).toBeLessThan(0.2);
    expect(threadCpuMs(process.pid)).toBeGreaterThan(0);
    expect(openHandles(process.pid)).toBeGreaterThan(2);
  });

  it('no longer include an ended one', () => {
    expect([residentBytes(2 ** 30), openHandles(2 ** 30), threadCpuMs(2 ** 30)]).toEqual([null, null, 0]);
  });
});
