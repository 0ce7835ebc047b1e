import type { Outcome } from '@holdfast/domain/outcome';
import type { OutputSink } from './interface.ts';
import { hasOutputFiles } from './outputFiles.ts';
import { createShownText } from './shownText.ts';

export type ShownOutput = {
  /** Text for a sink of texts, else any JSON value. Values with files are not shown: their URLs are the provider's. */
  show(piece: unknown): Promise<void>;
  /** Shows what the output has beyond the pieces, such as all of it when the server did not stream. */
  showRest(outcome: Outcome): Promise<void>;
};

/** The output that a sink of texts or JSON values has been shown. */
export function createShownOutput(sink: OutputSink): ShownOutput {
  const text = createShownText(sink);
  let isShown = false;

  async function showValue(value: unknown): Promise<void> {
    if (hasOutputFiles({ value }, { kind: 'raw' }, new Set())) return;
    isShown = true;
    await sink.output(value);
  }

  if (sink.kind === 'text')
    return {
      async show(piece) {
        if (typeof piece === 'string') await text.show(piece);
      },
      showRest: (outcome) => text.showRest(outcome),
    };
  return {
    show: showValue,
    async showRest(outcome) {
      if (!outcome.ok || isShown) return;
      const { output } = outcome.output;
      for (const value of Array.isArray(output) ? output : [outcome.output]) await showValue(value);
    },
  };
}
