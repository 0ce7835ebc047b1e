/** Columns of the terminal that a stream leads to; null for anything else, and for one that does not know its own (`script`, CI). */
export const terminalWidth = ({ isTTY, columns }: { isTTY?: boolean; columns?: number }): number | null =>
  (isTTY && columns) || null;

/** The characters that a terminal shows two columns wide: those of East Asia, and emoji. */
const wide =
  /\p{Emoji_Presentation}|\uFE0F|[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uA960-\uA97C\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{20000}-\u{3FFFD}]/u;

const columnsOf = (character: string) => (wide.test(character) ? 2 : 1);

let segmenter: Intl.Segmenter | undefined;

/** Every letter with the marks on it, every emoji with what it is joined to. */
function charactersOf(text: string): string[] {
  if (isAscii(text)) return text.split('');
  // Made when it is needed: that takes longer than all else that most commands do.
  segmenter ??= new Intl.Segmenter();
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

const isAscii = (text: string) => /^[ -~]*$/.test(text);

/** How many columns of a terminal a text takes. */
export const widthOf = (text: string): number =>
  isAscii(text) ? text.length : charactersOf(text).reduce((sum, character) => sum + columnsOf(character), 0);

export const filledTo = (width: number, text: string): string =>
  text + ' '.repeat(Math.max(0, width - widthOf(text)));

/** No wider than that, with a mark where it was cut. */
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
