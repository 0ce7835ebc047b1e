import type { OutputKind } from '@holdfast/domain/modelResponse';
import type { OutcomeMapping } from '@holdfast/domain/outcome';
import { describe, expect, it } from '@jest/globals';
import { type DefaultPlaces, outcomeFromResponse } from './success.ts';

const places = {
  output: '/output',
  inputTokens: ['/usage/prompt_tokens'],
  outputTokens: ['$.usage.completion_tokens'],
  cost: ['/usage/cost'],
  seconds: ['/usage/seconds'],
};

function read(
  usage: object,
  { kind = 'text', ...mapping }: Partial<OutcomeMapping> & { kind?: OutputKind } = {},
  { secondsOf, elapsedS = null }: Pick<DefaultPlaces, 'secondsOf'> & { elapsedS?: number | null } = {},
) {
  const output = kind === 'text' ? 'hi' : 'https://example.com/a.mp4';
  const of = { output: { kind }, errors: [], ...mapping };
  const outcome = outcomeFromResponse({ output, usage }, of, { ...places, secondsOf }, elapsedS);
  if (!outcome.ok) throw new Error('not a success');
  return outcome;
}

describe('reported usage', () => {
  it.each([
    ['100', 100],
    [' 100 ', 100],
    ['1e2', 100],
    ['99.6', 100],
    [100, 100],
    ['-1', 0],
    ['', 0],
    ['0x10', 0],
    ['1,000', 0],
    ['many', 0],
    [Number.NaN, 0],
    [null, 0],
    [undefined, 0],
  ])('of %j tokens is read as %d', (reported, tokens) => {
    const { usage } = read({ prompt_tokens: reported, completion_tokens: reported });
    expect(usage).toEqual({ inputTokens: tokens, outputTokens: tokens });
  });

  it('may have the seconds of the run, also as a text', () => {
    expect(read({ seconds: '2.5' }).measured).toEqual({ seconds: 2.5 });
    expect(read({}, {}, { elapsedS: 3 }).measured).toEqual({ seconds: 3 });
  });

  it.each(['videos', 'audios'] as const)(
    'of %s has the seconds of the output, whatever time they took',
    (kind) => {
      expect(read({ seconds: 4 }, { kind }, { elapsedS: 30 }).measured).toEqual({ outputSeconds: 4 });
      expect(read({}, { kind }, { elapsedS: 30 }).measured).toEqual({});
      const usage = { seconds: '/usage/seconds' };
      expect(read({ seconds: 4 }, { kind, usage }, { secondsOf: 'run' }).measured).toEqual({
        outputSeconds: 4,
      });
    },
  );

  it('has the seconds of the run where the protocol or the model says so', () => {
    const kind = 'videos';
    expect(read({ seconds: 4 }, { kind }, { secondsOf: 'run' }).measured).toEqual({ seconds: 4 });
    const usage = { seconds: '/usage/seconds', seconds_of: 'run' } as const;
    expect(read({ seconds: 4 }, { kind, usage }).measured).toEqual({ seconds: 4 });
    expect(read({ seconds: 4 }, { usage: { seconds_of: 'output' } }).measured).toEqual({ outputSeconds: 4 });
  });
});
