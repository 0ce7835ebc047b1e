import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import { describe, expect, it } from '@jest/globals';
import { busyTry, nextTry } from './refusal.ts';

type Route = ModelDefinition['providers'][number];

const route = (connection: string, part: Partial<Route> = {}) =>
  ({ connection, model: `${connection}-model`, ...part }) as Route;
const modelOf = (...providers: Route[]) => ({ providers }) as ModelDefinition;
const at = (connection: string, tries = 1) => ({ connection, target: `${connection}-model`, tries });

/** After refusals at these targets, the last one just now. */
function after(
  providers: Route[],
  tried: ReturnType<typeof at>[],
  part: { retryAfterMs?: number | null; remainingMs?: number; unconfigured?: string } = {},
) {
  const { retryAfterMs = 0, remainingMs = 600_000 } = part;
  return nextTry({
    definition: modelOf(...providers),
    isAllowed: ({ connection }) => connection !== part.unconfigured,
    at: tried.at(-1) ?? at('a'),
    retryAfterMs,
    tried,
    remainingMs,
    chance: 0.5,
  });
}

describe('the next try', () => {
  it('is at the same provider, each time later', () => {
    const pauses = [1, 2, 3, 4].map((tries) => after([route('a')], [at('a', tries)])?.afterMs);
    expect(pauses).toEqual([1000, 2000, 4000, 8000]);
    expect(after([route('a')], [at('a', 5)])).toBeNull();
  });

  it('has nothing of the attempt but the target and the time, for it is logged', () => {
    const run = { ...at('a'), attemptToken: 'secret' };
    const next = after([route('a')], [run]);
    expect(next).toEqual({ connection: 'a', target: 'a-model', afterMs: 1000 });
  });

  it('waits as long as the provider demands', () => {
    expect(after([route('a')], [at('a')], { retryAfterMs: 20_000 })).toMatchObject({ afterMs: 20_000 });
  });

  it('goes to the next provider after a few tries, and at once when a retry is useless or the pause is long', () => {
    const both = [route('a'), route('b')];
    const there = { connection: 'b', target: 'b-model', afterMs: 0 };
    expect(after(both, [at('a', 2)])).toMatchObject({ connection: 'a' });
    expect(after(both, [at('a', 3)])).toEqual(there);
    expect(after(both, [at('a')], { retryAfterMs: null })).toEqual(there);
    expect(after(both, [at('a')], { retryAfterMs: 30_000 })).toEqual(there);
  });

  it('never goes back to a provider that was left, nor to one that is not configured', () => {
    const all = [route('a'), route('b'), route('c')];
    expect(after(all, [at('a', 3), at('b', 3)], { retryAfterMs: null })).toMatchObject({ connection: 'c' });
    const unconfigured = { retryAfterMs: null, unconfigured: 'c' };
    expect(after(all, [at('a', 3), at('b', 3)], unconfigured)).toBeNull();
  });

  it('does not wait beyond the end of the execution', () => {
    expect(after([route('a')], [at('a')], { remainingMs: 900 })).toBeNull();
    expect(after([route('a'), route('b')], [at('a')], { remainingMs: 900 })).toMatchObject({
      connection: 'b',
    });
  });
});

describe('a run whose provider is busy', () => {
  const all = [route('a'), route('b'), route('c')];
  const busy = (part: Partial<Parameters<typeof busyTry>[0]> & { onBusy?: 'wait' } = {}) =>
    busyTry({
      definition: { ...modelOf(...all), on_busy: part.onBusy ?? 'fallback' },
      isAllowed: () => true,
      at: { connection: 'a', target: 'a-model' },
      refusedAt: [],
      busyRefusals: 0,
      pauseMs: 5000,
      ...part,
    });

  it('waits for it when the model says so or has no other provider', () => {
    const here = { connection: 'a', target: 'a-model', afterMs: 5000 };
    expect(busy({ onBusy: 'wait' })).toEqual(here);
    expect(busy({ isAllowed: ({ connection }) => connection === 'a' })).toEqual(here);
    expect(busy({ refusedAt: [at('b'), at('c')] })).toEqual(here);
  });

  it('goes to the next provider at once, and pauses when all were busy', () => {
    expect(busy()).toEqual({ connection: 'b', target: 'b-model', afterMs: 0 });
    expect(busy({ at: at('b'), busyRefusals: 1 })).toMatchObject({ connection: 'c', afterMs: 0 });
    expect(busy({ at: at('c'), busyRefusals: 2 })).toMatchObject({ connection: 'a', afterMs: 5000 });
    expect(busy({ busyRefusals: 3 })).toMatchObject({ connection: 'b', afterMs: 0 });
  });

  it('does not go to a provider that refused it for another reason', () => {
    expect(busy({ refusedAt: [at('b')] })).toMatchObject({ connection: 'c' });
  });
});
