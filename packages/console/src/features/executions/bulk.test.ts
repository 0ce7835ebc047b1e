import { expect, it } from '@jest/globals';
import { type BulkAction, bulkFilter, bulkStatuses, isKnown, partsOf } from './bulk.ts';

const nowMs = Date.parse('2026-11-28T10:00:00Z');
const times = { created_after: '2026-10-29T10:00:00.000Z', created_before: '2026-11-28T10:00:00.000Z' };

it.each<[BulkAction, object, object]>([
  ['cancel', {}, { status: ['PENDING', 'PROCESSING', 'AWAITING_WEBHOOK'], ...times }],
  ['rerun', { model: 'm' }, { status: ['FAILED', 'EXPIRED'], model: 'm', ...times }],
  ['rerun', { status: 'COMPLETED' }, { status: ['COMPLETED'], ...times }],
  [
    'rerun',
    { error: 'MODEL_OVERLOADED', q: 'order=A-17', from: times.created_before },
    {
      status: ['FAILED', 'EXPIRED'],
      error_code: ['MODEL_OVERLOADED'],
      metadata: { name: 'order', value: 'A-17' },
      created_after: times.created_before,
      created_before: times.created_before,
    },
  ],
])('to %s all of %j asks for %j', (action, filters, filter) => {
  expect(bulkFilter(action, filters, nowMs)).toEqual(filter);
});

it('no completed execution is cancelled', () => {
  expect(bulkStatuses('cancel', { status: 'COMPLETED' })).toEqual([]);
});

it.each([
  [{ organization: 'org_1', q: 'order=A-17' }, true],
  [{ organization: 'org_1', provider: 'fal' }, false],
  [{ organization: 'org_1', q: 'exec_0198' }, false],
  [{ model: 'm' }, false],
])('a request knows the filters %j: %s', (filters, expected) => {
  expect(isKnown(filters)).toBe(expected);
});

it('named executions are changed by requests of their organizations, of up to 1,000 each', () => {
  const rows = Array.from({ length: 2003 }, (_, n) => ({
    id: `${n}`,
    organization_id: n % 2001 ? 'a' : 'b',
  }));
  const parts = partsOf(rows, ['FAILED']);
  const sizes = parts.map(({ organization, filter }) => [
    organization,
    (filter as { ids: string[] }).ids.length,
  ]);
  expect(sizes).toEqual([
    ['b', 2],
    ['a', 1000],
    ['a', 1000],
    ['a', 1],
  ]);
  expect(parts[0]?.filter).toEqual({ ids: ['0', '2001'], status: ['FAILED'] });
});
