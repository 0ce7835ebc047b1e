import { ApiError } from '@holdfast/domain/errors';
import { expect, it } from '@jest/globals';
import { z } from 'zod';
import { integerParameter } from './fields.ts';
import { validate } from './validate.ts';

const shape = z.strictObject({
  wait: integerParameter({ min: 0, max: 60, default: 0 }),
  limit: z.number().positive(),
  priority: z.enum(['high', 'low']),
  name: z.string(),
  tags: z.array(z.string()),
  other: z.string(),
});

function messagesOf(value: unknown): string[] {
  try {
    validate(shape, value);
    return [];
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.details.map(({ message }) => message);
  }
}

it('a refusal says for every problem what would be valid', () => {
  const value = { wait: 'soon', limit: 0, priority: 'urgent', name: 7, tags: 'a', more: 1 };
  expect(messagesOf(value)).toEqual([
    'wait must be an integer in decimal digits.',
    'limit must be more than 0.',
    'priority must be one of "high", "low".',
    'name must be a string.',
    'tags must be an array.',
    'other is required.',
    'more is not a known field.',
  ]);
  const right = { limit: 1, priority: 'low', name: 'a', tags: [], other: 'b' };
  expect(messagesOf({ ...right, wait: '0.5' })).toEqual(['wait must be an integer in decimal digits.']);
  expect(messagesOf({ ...right, wait: '61' })).toEqual(['wait must be at most 60.']);
  expect(messagesOf({ ...right, wait: '-1' })).toEqual(['wait must be at least 0.']);
});

it.each(['0x10', '0b1', '0o7', '1e1', '5.0', '+5', ' 5', '5 ', '١', 'Infinity', '1_0'])(
  'an integer in a query is written in decimal digits, not as %j',
  (text) => {
    const query = z.strictObject({ wait: integerParameter({ min: 0, max: 60, default: 0 }) });
    expect(() => validate(query, { wait: text })).toThrow('wait must be an integer in decimal digits.');
    expect(validate(query, { wait: '05' })).toEqual({ wait: 5 });
  },
);

const optional = z.strictObject({
  name: z.string(),
  label: z.string().min(1).max(3).optional(),
  tags: z.array(z.string()).max(1).default([]),
  pace: z.int().nullable().default(7),
  when: z.enum(['now']).optional(),
  count: z.int().min(1).max(9).optional(),
  nested: z.strictObject({ size: z.int().optional() }).optional(),
});

it('an optional field that is null counts as absent, at any depth', () => {
  const value = { name: 'a', label: null, tags: null, pace: null, nested: { size: null } };
  expect(validate(optional, value)).toEqual({ name: 'a', tags: [], pace: null, nested: {} });
  expect(value.label).toBeNull();
});

it('a required field that is null is missing, and nulls in lists and unknown fields are refused', () => {
  const refusal = (value: unknown) => () => validate(optional, value);
  expect(refusal({ name: null })).toThrow('name is required.');
  expect(refusal({ name: 'a', tags: [null] })).toThrow('tags.0 must be a string.');
  expect(refusal({ name: 'a', more: null })).toThrow('more is not a known field.');
});

it.each([
  [{ label: [] }, 'label must be a string.'],
  [{ label: ['a', 'b', 'c', 'd'] }, 'label must be a string.'],
  [{ tags: 'ab' }, 'tags must be an array.'],
  [{ tags: [['a', 'b']] }, 'tags.0 must be a string.'],
  [{ when: 'later' }, 'when must be "now".'],
  [{ count: 2 ** 64 }, 'count must be at most 9.'],
  [{ count: -(2 ** 64) }, 'count must be at least 1.'],
  [{ pace: 2 ** 64 }, 'pace must be at most 9007199254740991.'],
])('a refusal of %j gives one requirement', (value, message) => {
  const refused = () => validate(optional, { name: 'a', ...value });
  expect(refused).toThrow(expect.objectContaining({ message }));
});

it('a refusal gives the allowed length of a text or a list', () => {
  const refusal = (value: object) => () => validate(optional, { name: 'a', ...value });
  expect(refusal({ label: '' })).toThrow('label must not be empty.');
  expect(refusal({ label: 'long' })).toThrow('label must have at most 3 characters.');
  expect(refusal({ tags: ['a', 'b'] })).toThrow('tags must have at most 1 item.');
});
