import { describe, expect, it } from '@jest/globals';
import { effectOf } from './row.ts';

const none = { button: 0, ctrlKey: false, metaKey: false, shiftKey: false };
const text = { isControl: false, isSelecting: false };

describe('effectOf', () => {
  it.each([
    ['opens on a click', none, text, 'open'],
    ['opens a tab on the middle button', { ...none, button: 1 }, text, 'openTab'],
    ['opens a tab on Ctrl and a click', { ...none, ctrlKey: true }, text, 'openTab'],
    ['leaves the right button to the menu', { ...none, button: 2 }, text, null],
    ['leaves a selection of text alone', none, { ...text, isSelecting: true }, null],
    ['leaves its links and buttons alone', { ...none, button: 1 }, { ...text, isControl: true }, null],
  ])('a row %s', (_title, click, on, effect) => {
    expect(effectOf(click, on)).toBe(effect);
  });
});
