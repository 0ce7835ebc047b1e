import { describe, expect, it } from '@jest/globals';
import type { PendingExecution } from './backlog.ts';
import {
  type FullNames,
  free,
  fullLineName,
  isLineFull,
  isOrganizationFull,
  markFull,
  organizationName,
  removePassed,
} from './fullNames.ts';

const first: PendingExecution = { executionId: 'x', organizationId: 'a', model: 'm', rank: 1, retry: null };
const retry = { attemptId: 'att', connection: 'b', target: 't', refusedAt: [] };

describe('names that are full', () => {
  it('are full until their time, and for one second at most', () => {
    const full: FullNames = new Map();
    markFull(full, organizationName('a'), 20, 1000);
    markFull(full, organizationName('b'), 60_000, 1000);
    expect([1019, 1020].map((nowMs) => isOrganizationFull(full, 'a', nowMs))).toEqual([true, false]);
    expect([1999, 2000].map((nowMs) => isOrganizationFull(full, 'b', nowMs))).toEqual([true, false]);
  });

  it('hold up every line of a full model, and one line only where that is full', () => {
    const full: FullNames = new Map();
    markFull(full, fullLineName(first), 100, 0);
    expect([first, { ...first, retry }].map((like) => isLineFull(full, like, 50))).toEqual([true, false]);
    markFull(full, 'model:m', 100, 0);
    expect(isLineFull(full, { ...first, retry }, 50)).toBe(true);
  });

  it('are freed by name, and all lines by a connection or a route', () => {
    const full: FullNames = new Map([
      ['model:m', 100],
      ['line:m', 100],
      ['line:n', 100],
    ]);
    free(full, ['model:m']);
    expect([...full.keys()]).toEqual(['line:m', 'line:n']);
    free(full, ['route:b t']);
    expect(full.size).toBe(0);
  });

  it('return the earliest time, even a passed one, before passed ones are removed', () => {
    const full: FullNames = new Map([
      ['model:m', 100],
      ['model:n', 300],
    ]);
    expect(removePassed(full, 200)).toBe(100);
    expect([...full.keys()]).toEqual(['model:n']);
    expect(removePassed(full, 300)).toBe(300);
    expect(removePassed(full, 300)).toBe(Infinity);
  });
});
