import { describe, expect, it } from '@jest/globals';
import { type Backlog, createBacklog, type PendingExecution } from './backlog.ts';

const everybody = { organization: () => true, line: () => true };

function waiting(executionId: string, part: Partial<PendingExecution> = {}): PendingExecution {
  return { executionId, organizationId: 'org_a', model: 'm', rank: 1, retry: null, ...part };
}

function filled(...all: PendingExecution[]) {
  const backlog = createBacklog();
  for (const one of all) backlog.add(one);
  return backlog;
}

function drain(backlog: Backlog, mayGo: Parameters<Backlog['next']>[0] = everybody): string[] {
  const taken: string[] = [];
  for (let next = backlog.next(mayGo); next; next = backlog.next(mayGo)) taken.push(next.executionId);
  return taken;
}

describe('the backlog', () => {
  it('lets organizations take turns, whoever came first and with however many', () => {
    const many = Array.from({ length: 5000 }, (_, index) => waiting(`a${index}`));
    const backlog = filled(...many, waiting('b0', { organizationId: 'org_b' }));
    expect([backlog.next(everybody), backlog.next(everybody)].map((one) => one?.executionId)).toEqual([
      'a0',
      'b0',
    ]);
    expect(drain(backlog)).toEqual(many.slice(1).map(({ executionId }) => executionId));
  });

  it('takes the higher priority first, of one organization only', () => {
    const backlog = filled(
      waiting('low', { rank: 2 }),
      waiting('usual'),
      waiting('high', { rank: 0 }),
      waiting('other', { organizationId: 'org_b', rank: 2 }),
    );
    expect(drain(backlog)).toEqual(['high', 'other', 'usual', 'low']);
  });

  it('passes over who may not go, and nobody else', () => {
    const backlog = filled(
      waiting('full'),
      waiting('free', { model: 'n' }),
      waiting('later', { organizationId: 'org_b' }),
    );
    const mayGo = {
      organization: (id: string) => id !== 'org_b',
      line: ({ model }: PendingExecution) => model !== 'm',
    };
    expect(drain(backlog, mayGo)).toEqual(['free']);
    expect(drain(backlog)).toEqual(['later', 'full']);
  });

  it('lets the oldest of further tries go first, in whatever order they come', () => {
    const retry = { attemptId: 'att', connection: 'q', target: 't', refusedAt: [] };
    const backlog = filled(...['c', 'a', 'd', 'b'].map((id) => waiting(id, { retry })));
    expect(drain(backlog)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('holds nobody twice', () => {
    const backlog = filled(waiting('a'));
    expect(backlog.add(waiting('a'))).toBe(false);
    expect(drain(backlog)).toEqual(['a']);
    expect(backlog.add(waiting('a'))).toBe(true);
  });

  it('gives what was put back first, in the order in which it was taken', () => {
    const backlog = filled(...['a', 'b', 'c', 'd'].map((id) => waiting(id)));
    const taken = [backlog.next(everybody), backlog.next(everybody)].flatMap((one) => one ?? []);
    backlog.putBack(taken);
    expect(drain(backlog)).toEqual(['a', 'b', 'c', 'd']);
  });

  /** One place at a time: of all that may go the first one goes, and the others are put back. */
  function oneByOne(backlog: Backlog, count: number): string[] {
    return Array.from({ length: count }, () => {
      const taken = [];
      for (let next = backlog.next(everybody); next; next = backlog.next(everybody)) taken.push(next);
      const [first, ...others] = taken;
      backlog.putBack(others);
      return first?.executionId ?? '';
    });
  }

  it('keeps the turn of an organization that was put back, however few of its executions wait', () => {
    const many = Array.from({ length: 50 }, (_, index) => waiting(`a${index}`));
    const backlog = filled(
      ...many,
      waiting('b0', { organizationId: 'org_b' }),
      waiting('c0', { organizationId: 'org_c' }),
    );
    expect(oneByOne(backlog, 5)).toEqual(['a0', 'b0', 'c0', 'a1', 'a2']);
  });

  it('keeps the turn of a line that was put back, so that further tries and first ones alternate', () => {
    const retry = { attemptId: 'att', connection: 'q', target: 't', refusedAt: [] };
    const many = Array.from({ length: 50 }, (_, index) => waiting(`first${index}`));
    const backlog = filled(...many, waiting('retry0', { retry }), waiting('retry1', { retry }));
    expect(oneByOne(backlog, 5)).toEqual(['first0', 'retry0', 'first1', 'retry1', 'first2']);
  });

  it('lets further tries that go elsewhere wait in a line of their own', () => {
    const retry = { attemptId: 'att', connection: 'q', target: 't', refusedAt: [] };
    const backlog = filled(waiting('retry', { retry }), waiting('fresh'));
    const mayGo = { ...everybody, line: (like: PendingExecution) => like.retry === null };
    expect(drain(backlog, mayGo)).toEqual(['fresh']);
    expect(drain(backlog)).toEqual(['retry']);
  });

  it('has an end: what does not fit is left to a sweep, and whoever has most in it leaves room for others', () => {
    const backlog = createBacklog(4);
    const add = (id: string, part: Partial<PendingExecution> = {}) => backlog.add(waiting(id, part));
    expect(['a', 'b', 'c'].map((id) => add(id))).toEqual([true, true, false]);
    expect([add('other', { organizationId: 'org_b' }), add('elsewhere', { model: 'n' })]).toEqual([
      true,
      true,
    ]);
    expect(backlog.size()).toBe(4);
    expect(drain(backlog)).toHaveLength(4);
    expect(add('c')).toBe(true);
  });
});
