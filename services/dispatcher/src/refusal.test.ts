import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import { describe, expect, it } from '@jest/globals';
import { busyTry, nextTry } from './refusal.ts';
import { routesFor } from './routes.ts';

type Route = ModelDefinition['providers'][number];

const route = (connection: string, part: Partial<Route> = {}) =>
  ({ connection, model: `${connection}-model`, ...part }) as Route;
const modelOf = (...providers: Route[]) => ({ providers }) as ModelDefinition;
const at = (connection: string, tries = 1) => ({ connection, target: `${connection}-model`, tries });

/** After refusals at these places, the last one of them now. */
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

  it('is a place and a time: of the run it says nothing more, for it is logged', () => {
    const run = { ...at('a'), attemptToken: 'secret' };
    const again = after([route('a')], [run]);
    expect(again).toEqual({ connection: 'a', target: 'a-model', afterMs: 1000 });
  });

  it('waits as long as the provider asks for', () => {
    expect(after([route('a')], [at('a')], { retryAfterMs: 20_000 })).toMatchObject({ afterMs: 20_000 });
  });

  it('goes to the next provider after a few, and at once when waiting is of no use or long', () => {
    const both = [route('a'), route('b')];
    const there = { connection: 'b', target: 'b-model', afterMs: 0 };
    expect(after(both, [at('a', 2)])).toMatchObject({ connection: 'a' });
    expect(after(both, [at('a', 3)])).toEqual(there);
    expect(after(both, [at('a')], { retryAfterMs: null })).toEqual(there);
    expect(after(both, [at('a')], { retryAfterMs: 30_000 })).toEqual(there);
  });

  it('never goes back to one that was left, nor to one that is not configured', () => {
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

  it('waits for it, where the model says so or has no other', () => {
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

  it('does not go where it was refused for another reason', () => {
    expect(busy({ refusedAt: [at('b')] })).toMatchObject({ connection: 'c' });
  });
});

describe('the routes of a run', () => {
  const names = (...given: Parameters<typeof routesFor>) =>
    routesFor(...given).map(({ connection }) => connection);
  const all = () => true;

  it('are in the order of the model, but for the first, which goes by weight', () => {
    const plain = modelOf(route('a'), route('b'));
    expect([0, 0.99].map((chance) => names(plain, null, all, chance))).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ]);
    const weighted = modelOf(route('a', { weight: 1 }), route('b', { weight: 3 }), route('c'));
    const firsts = [0, 0.24, 0.25, 0.99].map((chance) => names(weighted, null, all, chance)[0]);
    expect(firsts).toEqual(['a', 'a', 'b', 'b']);
    expect(names(weighted, null, all, 0.9)).toEqual(['b', 'a', 'c']);
  });

  it('of a further try begin where it was meant to go, and leave out who refused it', () => {
    const model = modelOf(route('a'), route('b'), route('c'));
    const again = (connection: string, ...refusedAt: string[]) => ({
      attemptId: 'att',
      connection,
      target: `${connection}-model`,
      refusedAt: refusedAt.map((one) => [one, `${one}-model`] as const),
    });
    expect(names(model, again('b'), all)).toEqual(['b', 'c', 'a']);
    expect(names(model, again('b', 'a'), all)).toEqual(['b', 'c']);
    expect(names(model, again('b', 'b', 'c'), all)).toEqual(['b', 'a']);
    expect(names(model, again('gone', 'a'), all)).toEqual(['b', 'c']);
    expect(names(model, again('gone', 'a', 'b', 'c'), all)).toEqual(['a', 'b', 'c']);
  });

  it('leave out what is not configured; of an unknown model there are none', () => {
    const model = modelOf(route('a'), route('b'));
    expect(names(model, null, ({ connection }) => connection === 'b')).toEqual(['b']);
    expect(routesFor(null, null, all)).toEqual([]);
  });
});
