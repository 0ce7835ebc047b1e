import { expect, it } from '@jest/globals';
import { type BulkAction, bulkFilter } from './bulk.ts';

const nowMs = Date.parse('2026-11-28T10:00:00Z');
const times = { created_after: '2026-10-29T10:00:00.000Z', created_before: '2026-11-28T10:00:00.000Z' };

it.each<[BulkAction, object, object | null]>([
  ['cancel', {}, { status: ['PENDING', 'PROCESSING', 'AWAITING_WEBHOOK'], ...times }],
  ['rerun', { model: 'm' }, { status: ['FAILED', 'EXPIRED'], model: 'm', ...times }],
  ['rerun', { status: 'COMPLETED' }, { status: ['COMPLETED'], ...times }],
  ['cancel', { status: 'COMPLETED' }, null],
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
  ['cancel', { provider: 'fal' }, null],
  ['cancel', { q: 'exec_0198' }, null],
])('to %s all of %j asks for %j', (action, filters, filter) => {
  expect(bulkFilter(action, filters, nowMs)).toEqual(filter);
});
