import { expect, it } from '@jest/globals';
import { routeInput } from './routeInput.ts';

it('sends the input as it is to who takes it so', () => {
  expect(routeInput({}, { prompt: 'a' })).toEqual({ prompt: 'a' });
});

it('omits, renames and sets, and what is set wins', () => {
  const input = { rename: { prompt: 'text' }, set: { safe: true, seed: 1 }, omit: ['size'] };
  const sent = routeInput({ input }, { prompt: 'a', size: '1x1', seed: 7, n: 2 });
  expect(sent).toEqual({ text: 'a', seed: 1, n: 2, safe: true });
});
