import { contrast, parseColor } from '@holdfast/domain/contrast';
import { expect, it } from '@jest/globals';
import { brandColor } from './brand.ts';

const texts = ['ink', 'soft', 'accent', 'good', 'bad', 'busy', 'blue'];
const fills = ['good', 'bad', 'busy', 'blue', 'soft'];

it.each(['light', 'dark'] as const)(
  'the colors of the %s scheme have the contrast that text needs',
  (scheme) => {
    const color = (name: string) => parseColor(brandColor(name, scheme));
    const pairs = [
      ...texts.flatMap((text) => ['page', 'card', 'hover'].map((behind) => [text, behind] as const)),
      ...fills.map((fill) => ['on-fill', fill] as const),
      ['on-accent', 'accent'] as const,
    ];
    expect(pairs.filter(([text, behind]) => contrast(color(text), color(behind)) < 4.5)).toEqual([]);
  },
);
