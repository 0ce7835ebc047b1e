import { ApiError } from '@holdfast/domain/errors';
import { expect, it } from '@jest/globals';
import { z } from 'zod';
import { validate } from './validate.ts';

const shape = z.strictObject({
  wait: z.coerce.number().int().min(0).max(60),
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

it('tells of everything that is wrong what would be right', () => {
  const value = { wait: 'soon', limit: 0, priority: 'urgent', name: 7, tags: 'a', more: 1 };
  expect(messagesOf(value)).toEqual([
    'wait: must be a number',
    'limit: must be more than 0',
    'priority: must be one of "high", "low"',
    'name: must be text',
    'tags: must be a list',
    'other is required.',
    'more is not a known field.',
  ]);
  const right = { limit: 1, priority: 'low', name: 'a', tags: [], other: 'b' };
  expect(messagesOf({ ...right, wait: '0.5' })).toEqual(['wait: must be a whole number']);
  expect(messagesOf({ ...right, wait: '61' })).toEqual(['wait: must be at most 60']);
  expect(messagesOf({ ...right, wait: '-1' })).toEqual(['wait: must be at least 0']);
});
