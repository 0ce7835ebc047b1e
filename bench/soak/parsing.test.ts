import { expect, it } from '@jest/globals';
import { gaugeOf } from './gauge.ts';
import { openIdSet } from './idSet.ts';
import { workOf } from './work.ts';

it('a gauge is read from the text of /metrics, with labels or without', () => {
  const text = [
    '# TYPE nodejs_heap_size_used_bytes gauge',
    'nodejs_heap_size_used_bytes{service="ledger"} 1234',
    'nodejs_eventloop_lag_p99_seconds 0.025',
    'broken NaN',
  ].join('\n');
  expect(gaugeOf(text, 'nodejs_heap_size_used_bytes')).toBe(1234);
  expect(gaugeOf(text, 'nodejs_eventloop_lag_p99_seconds')).toBe(0.025);
  expect(gaugeOf(text, 'broken')).toBeNull();
  expect(gaugeOf(text, 'nodejs_heap')).toBeNull();
});

it('an id is known again, no other is, and repeats are counted', () => {
  const ids = openIdSet();
  const id = 'evt_019a6f3e-5d0b-7c11-9a3e-2f4b5c6d7e8f';
  expect([ids.add(id), ids.add(id)]).toEqual([true, false]);
  expect(ids.has(id)).toBe(true);
  expect(ids.has(id.replace('8f', '80'))).toBe(false);
  expect([ids.size(), ids.repeats()]).toEqual([1, 1]);
});

it('of a hundred creates there is some of everything that users do', () => {
  const works = Array.from({ length: 100 }, (_, nth) => workOf(nth));
  expect(new Set(works.map(({ following }) => following))).toEqual(
    new Set(['nothing', 'read', 'wait', 'stream', 'cancel', 'list']),
  );
  expect(new Set(works.map(({ model }) => model))).toEqual(
    new Set(['sandbox-text', 'sandbox-image', 'image-transform']),
  );
  expect(new Set(works.map(({ input }) => input['mode']))).toEqual(new Set(['sync', 'callback', undefined]));
  expect(works.filter(({ input }) => 'fail' in input)).toHaveLength(5);
  expect(works.filter(({ hasUpload }) => hasUpload)).toHaveLength(1);
});
