import type { Outcome } from '@holdfast/domain/outcome';
import type { OutputSink } from './interface.ts';
import { fileUrl } from './outcome/fileUrls.ts';
import { hasOutputFiles } from './outputFiles.ts';
import { createShownText } from './shownText.ts';

export type ShownOutput = {
  /** Text for a sink of texts, files for one of images, else JSON values: those with files, of the provider, are not shown. */
  show(piece: unknown): Promise<void>;
  /** Shows what the output has beyond the pieces, such as all of it when the server did not stream. */
  showRest(outcome: Outcome): Promise<void>;
};

/** The output that a sink of texts, JSON values or images has been shown. */
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
  if (sink.kind === 'image')
    return {
      async show(piece) {
        for (const file of [piece].flat()) {
          const url = fileUrl(file);
          if (url !== null) await sink.output(url);
        }
      },
      async showRest() {},
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
