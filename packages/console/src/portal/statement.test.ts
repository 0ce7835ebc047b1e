import { describe, expect, it } from '@jest/globals';
import { folded } from './statement.ts';

type Transaction = Parameters<typeof folded>[0][number];

let sequence = 100;
const entry = (
  kind: Transaction['kind'],
  execution_id: string | null,
  available_change: string,
  held_change: string,
): Transaction => {
  sequence -= 1;
  const at = '2026-03-20T10:30:08.430Z';
  const after = { available_after: '1.00', held_after: '0.00', balance_after: `${sequence}.00` };
  return {
    ...after,
    sequence,
    kind,
    execution_id,
    available_change,
    held_change,
    amount: '0.00',
    reason: null,
    created_at: at,
  };
};

describe('the statement', () => {
  it('has one line for each execution, and its refunds and top-ups beside it', () => {
    const lines = folded([
      entry('correction', 'exec_a', '0.04', '0.00'),
      entry('hold', 'exec_c', '-0.50', '0.50'),
      entry('remainder', 'exec_a', '0.06', '-0.06'),
      entry('release', 'exec_b', '0.10', '-0.10'),
      entry('settle', 'exec_a', '0.00', '-0.04'),
      entry('hold', 'exec_b', '-0.10', '0.10'),
      entry('hold', 'exec_a', '-0.10', '0.10'),
      entry('top_up', null, '5.00', '0.00'),
    ]);
    expect(lines.map(({ kind, executionId, change, after }) => [kind, executionId, change, after])).toEqual([
      ['correction', 'exec_a', '0.04', '99.00'],
      ['running', 'exec_c', '0.00', '98.00'],
      ['charged', 'exec_a', '-0.04', '97.00'],
      ['released', 'exec_b', '0.00', '96.00'],
      ['top_up', null, '5.00', '92.00'],
    ]);
  });

  it('of a part of a journal does not charge twice', () => {
    const older = [entry('settle', 'exec_a', '0.00', '-0.04'), entry('hold', 'exec_a', '-0.04', '0.04')];
    expect(folded(older)).toMatchObject([{ kind: 'charged', change: '-0.04' }]);
    expect(folded(older.slice(1))).toMatchObject([{ kind: 'running', change: '0.00' }]);
  });
});
