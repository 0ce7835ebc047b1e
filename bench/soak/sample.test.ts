import { expect, it } from '@jest/globals';
import { gaugeOf } from './sample.ts';

it('gaugeOf reads a gauge from the text of /metrics, with labels or without', () => {
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
