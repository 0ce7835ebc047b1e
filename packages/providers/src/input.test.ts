import { Readable } from 'node:stream';
import { expect, it } from '@jest/globals';
import { changeInput } from './input.ts';

const part = (...path: string[]) => ({
  path,
  filename: 'a',
  contentType: 'image/png',
  sizeBytes: 0,
  open: async () => Readable.from([]),
});

const changes = {
  rename: { prompt: 'text', picture: 'image' },
  set: { safe: true, seed: 1 },
  omit: ['size'],
};

it('leaves an input as it is for who takes it so', () => {
  expect(changeInput({ input: { prompt: 'a' }, parts: [] }, undefined).input).toEqual({ prompt: 'a' });
});

it('omits, renames and sets, and what is set wins', () => {
  const { input } = changeInput({ input: { prompt: 'a', size: '1x1', seed: 7, n: 2 }, parts: [] }, changes);
  expect(input).toEqual({ text: 'a', seed: 1, n: 2, safe: true });
});

it('lets files follow their properties', () => {
  const parts = [part('picture'), part('size'), part('seed'), part('mask')];
  const changed = changeInput({ input: {}, parts }, changes);
  expect(changed.parts.map(({ path }) => path)).toEqual([['image'], ['mask']]);
});
