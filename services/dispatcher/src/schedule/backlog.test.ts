import { describe, expect, it } from '@jest/globals';
import { type Backlog, createBacklog, type PendingExecution } from './backlog.ts';

const allMayStart = { organization: () => true, line: () => true };

function waiting(executionId: string, part: Partial<PendingExecution> = {}): PendingExecution {
  return { executionId, organizationId: 'org_a', model: 'm', rank: 1, retry: null, ...part };
}

function filled(...all: PendingExecution[]) {
  const backlog = createBacklog();
  for (const one of all) backlog.add(one);
  return backlog;
}

function drain(backlog: Backlog, mayGo: Parameters<Backlog['next']>[0] = allMayStart): string[] {
  const taken: string[] = [];
  for (let next = backlog.next(mayGo); next; next = backlog.next(mayGo)) taken.push(next.executionId);
  return taken;
}

describe('the backlog', () => {
  it('lets organizations take turns, however many executions each of them has', () => {
    const many = Array.from({ length: 5000 }, (_, index) => waiting(`a${index}`));
    const backlog = filled(...many, waiting('b0', { organizationId: 'org_b' }));
    expect([backlog.next(allMayStart), backlog.next(allMayStart)].map((one) => one?.executionId)).toEqual([
      'a0',
      'b0',
    ]);
    expect(drain(backlog)).toEqual(many.slice(1).map(({ executionId }) => executionId));
  });

  it('takes the higher priority first within one organization', () => {
    const backlog = filled(
      waiting('low', { rank: 2 }),
      waiting('normal'),
      waiting('high', { rank: 0 }),
      waiting('other', { organizationId: 'org_b', rank: 2 }),
    );
    expect(drain(backlog)).toEqual(['high', 'other', 'normal', 'low']);
  });

  it('skips only executions that may not start', () => {
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

  it('takes the oldest retry first, in whatever order retries come', () => {
    const retry = { attemptId: 'att', connection: 'q', target: 't', refusedAt: [] };
    const backlog = filled(...['c', 'a', 'd', 'b'].map((id) => waiting(id, { retry })));
    expect(drain(backlog)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('takes an older retry that comes later before younger ones that were put back', () => {
    const retry = { attemptId: 'att', connection: 'q', target: 't', refusedAt: [] };
    const backlog = filled(...['b', 'c'].map((id) => waiting(id, { retry })));
    backlog.putBack([backlog.next(allMayStart), backlog.next(allMayStart)].flatMap((one) => one ?? []));
    backlog.add(waiting('a', { retry }));
    expect(drain(backlog)).toEqual(['a', 'b', 'c']);
  });

  it('keeps an execution once', () => {
    const backlog = filled(waiting('a'));
    expect(backlog.add(waiting('a'))).toBe(false);
    expect(drain(backlog)).toEqual(['a']);
    expect(backlog.add(waiting('a'))).toBe(true);
  });

  it('returns executions that were put back first, in the order in which they were taken', () => {
    const backlog = filled(...['a', 'b', 'c', 'd'].map((id) => waiting(id)));
    const taken = [backlog.next(allMayStart), backlog.next(allMayStart)].flatMap((one) => one ?? []);
    backlog.putBack(taken);
    expect(drain(backlog)).toEqual(['a', 'b', 'c', 'd']);
  });

  /** Starts one execution at a time: the first one starts, and the others are put back. */
  function oneByOne(backlog: Backlog, count: number): string[] {
    return Array.from({ length: count }, () => {
      const taken = [];
      for (let next = backlog.next(allMayStart); next; next = backlog.next(allMayStart)) taken.push(next);
      const [first, ...others] = taken;
      backlog.putBack(others);
      return first?.executionId ?? '';
    });
  }

  it('keeps the turn of an organization whose execution was put back, however few executions it has', () => {
    const many = Array.from({ length: 50 }, (_, index) => waiting(`a${index}`));
    const backlog = filled(
      ...many,
      waiting('b0', { organizationId: 'org_b' }),
      waiting('c0', { organizationId: 'org_c' }),
    );
    expect(oneByOne(backlog, 5)).toEqual(['a0', 'b0', 'c0', 'a1', 'a2']);
  });

  it('keeps the turn of a model whose execution was put back', () => {
    const many = Array.from({ length: 50 }, (_, index) => waiting(`m${index}`));
    const backlog = filled(...many, waiting('n0', { model: 'n' }), waiting('n1', { model: 'n' }));
    expect(oneByOne(backlog, 5)).toEqual(['m0', 'n0', 'm1', 'n1', 'm2']);
  });

  it('takes an older retry before younger first tries of its model, whichever came first', () => {
    const retry = { attemptId: 'att', connection: 'q', target: 't', refusedAt: [] };
    const backlog = filled(...['b', 'd', 'e'].map((id) => waiting(id)));
    for (const id of ['c', 'a']) backlog.add(waiting(id, { retry }));
    expect(oneByOne(backlog, 5)).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('keeps retries at another target in a line of their own', () => {
    const retry = { attemptId: 'att', connection: 'q', target: 't', refusedAt: [] };
    const backlog = filled(waiting('retry', { retry }), waiting('fresh'));
    const mayGo = { ...allMayStart, line: (like: PendingExecution) => like.retry === null };
    expect(drain(backlog, mayGo)).toEqual(['fresh']);
    expect(drain(backlog)).toEqual(['retry']);
  });

  it('has a maximum size, and a long line leaves room for others', () => {
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
