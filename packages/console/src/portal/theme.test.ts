import { expect, it } from '@jest/globals';
import { accentColors } from './theme.ts';

it.each([
  ['that can be read stays', '#0f766e', 'light-dark(rgb(15 118 110), '],
  ['that is too light is darkened on the light page alone', '#ffff00', ', rgb(255 255 0))'],
  ['that is too dark is lightened on the dark page alone', '#0000aa', 'light-dark(rgb(0 0 170), '],
])('an accent %s', (_title, hex, expected) => {
  expect(accentColors(hex).accent).toContain(expected);
});

it('what is written on an accent is black or white, whichever can be read', () => {
  expect(accentColors('#ffff00').onAccent).toBe('light-dark(rgb(255 255 255), rgb(0 0 0))');
});
