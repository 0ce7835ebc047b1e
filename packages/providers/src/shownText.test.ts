import { describe, expect, it } from '@jest/globals';
import { recordingSink } from './conformance/streaming.ts';
import { createShownText } from './shownText.ts';

const outcomeOf = (text: string) =>
  ({ ok: true, output: { text }, usage: { inputTokens: 0, outputTokens: 0 }, measured: {} }) as const;

describe('a shown text', () => {
  it('has no half characters', async () => {
    const sink = recordingSink();
    const text = createShownText(sink);
    const [high = '', low = ''] = '🚢'.split('');
    for (const piece of ['a', high, low, `b${high}`, `${low}c`, '']) await text.show(piece);
    expect(sink.pieces).toEqual(['a', '🚢', 'b', '🚢c']);
  });

  it('is completed by the output that it is the start of', async () => {
    const sink = recordingSink();
    const text = createShownText(sink);
    await text.show('Once ');
    await text.showRest(outcomeOf('Once upon'));
    await text.showRest(outcomeOf('Another'));
    expect(sink.pieces).toEqual(['Once ', 'upon']);
  });
});
