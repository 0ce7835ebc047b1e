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

it('changeInput passes an input on unchanged by default', () => {
  expect(changeInput({ input: { prompt: 'a' }, parts: [] }, undefined).input).toEqual({ prompt: 'a' });
});

it('changeInput omits, renames and sets properties, and set values win', () => {
  const { input } = changeInput({ input: { prompt: 'a', size: '1x1', seed: 7, n: 2 }, parts: [] }, changes);
  expect(input).toEqual({ text: 'a', seed: 1, n: 2, safe: true });
});

it('changeInput moves files with their properties', () => {
  const parts = [part('picture'), part('size'), part('seed'), part('mask')];
  const changed = changeInput({ input: {}, parts }, changes);
  expect(changed.parts.map(({ path }) => path)).toEqual([['image'], ['mask']]);
});
