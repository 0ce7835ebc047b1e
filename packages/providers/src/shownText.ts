import type { Outcome } from '@holdfast/domain/outcome';
import type { OutputSink } from './interface.ts';

export type ShownText = {
  /** Half a character at the end of a piece is held back until its other half comes. */
  show(piece: string): Promise<void>;
  /** Shows what the output has beyond the pieces, such as all of it when the server did not stream. */
  showRest(outcome: Outcome): Promise<void>;
};

const halfAtEnd = /[\ud800-\udbff]$/;

/** The text that a sink has been shown. */
export function createShownText(sink: OutputSink): ShownText {
  let shown = '';
  let half = '';

  async function show(piece: string): Promise<void> {
    const text = half + piece;
    const isSplit = halfAtEnd.test(text);
    half = isSplit ? text.slice(-1) : '';
    const whole = (isSplit ? text.slice(0, -1) : text).toWellFormed();
    if (whole === '') return;
    shown += whole;
    await sink.output(whole);
  }

  return {
    show,
    async showRest(outcome) {
      const text = outcome.ok ? outcome.output['text'] : undefined;
      if (typeof text !== 'string' || !text.startsWith(shown)) return;
      half = '';
      await show(text.slice(shown.length));
    },
  };
}
