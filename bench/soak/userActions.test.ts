import { expect, it } from '@jest/globals';
import { userActionOf } from './userActions.ts';

it('a hundred user actions contain every kind of request and follow-up', () => {
  const actions = Array.from({ length: 100 }, (_, nth) => userActionOf(nth));
  expect(new Set(actions.map(({ followUp }) => followUp))).toEqual(
    new Set(['nothing', 'read', 'wait', 'stream', 'cancel', 'list']),
  );
  expect(new Set(actions.map(({ model }) => model))).toEqual(
    new Set(['sandbox-text', 'sandbox-image', 'image-transform']),
  );
  expect(new Set(actions.map(({ input }) => input['mode']))).toEqual(
    new Set(['sync', 'callback', undefined]),
  );
  expect(actions.filter(({ input }) => 'fail' in input)).toHaveLength(5);
  expect(actions.filter(({ hasUpload }) => hasUpload)).toHaveLength(1);
});
