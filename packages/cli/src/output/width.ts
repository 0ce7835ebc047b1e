/** Characters that take two columns of a terminal: those of East Asia, and emoji. */
const wide =
  /\p{Emoji_Presentation}|\uFE0F|[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uA960-\uA97C\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{20000}-\u{3FFFD}]/u;

const columnsOf = (character: string) => (wide.test(character) ? 2 : 1);

let segmenter: Intl.Segmenter | undefined;

/** Letters with their marks, and joined emoji, are one character each. */
function charactersOf(text: string): string[] {
  if (isAscii(text)) return text.split('');
  // Not at start-up, as the library string-width does: it takes 15 ms.
  segmenter ??= new Intl.Segmenter();
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

const isAscii = (text: string) => /^[ -~]*$/.test(text);

/** How many columns of a terminal a text takes. */
export const widthOf = (text: string): number =>
  isAscii(text) ? text.length : charactersOf(text).reduce((sum, character) => sum + columnsOf(character), 0);

export const filledTo = (width: number, text: string): string =>
  text + ' '.repeat(Math.max(0, width - widthOf(text)));

/** At most that wide; `…` marks the cut. */
export function cutTo(width: number, text: string): string {
  if (widthOf(text) <= width) return text;
  let cut = '';
  let taken = 0;
  for (const character of charactersOf(text)) {
    taken += columnsOf(character);
    if (taken > width - 1) break;
    cut += character;
  }
  return `${cut}…`;
}
