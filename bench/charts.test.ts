import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { charts, withCharts } from './charts.ts';

const when = '2026-01-02, abc1234';

const curve = {
  curve_creates_per_s: [
    [1, 300],
    [4, 900],
    [16, 1900],
  ] as [number, number][],
  curve_p50_ms: [
    [1, 3],
    [4, 4],
    [16, 8],
  ] as [number, number][],
  curve_p99_ms: [
    [1, 9],
    [4, 12],
    [16, 31],
  ] as [number, number][],
};

describe('the charts of a result', () => {
  it('show the rate and the latencies by clients, with units, day and commit', () => {
    const text = charts(curve, when);
    expect(text).toContain(when);
    expect(text).toContain(
      'x-axis "clients" [1, 4, 16]\n  y-axis "creates per second"\n  line [300, 900, 1900]',
    );
    expect(text).toContain('y-axis "milliseconds"\n  line [9, 12, 31]\n  line [3, 4, 8]');
  });

  it('list the measured distributions by percentile', () => {
    const points: [number, number][] = [
      [10, 0],
      [20, 0.5],
      [60, 0.9],
      [80, 0.99],
      [90, 1],
    ];
    const text = charts({ half_rate_create_distribution_ms: points }, when);
    expect(text).toContain('| create, half the rate | 20 | 60 | 80 | 90 |');
    expect(text).not.toContain('mermaid');
  });

  it('list the latencies by rate', () => {
    const figures = {
      rate_50_create_p50_ms: 3,
      rate_50_create_p99_ms: 9,
      rate_50_create_to_webhook_p50_ms: 20,
      rate_50_create_to_webhook_p99_ms: 60,
      rate_50_event_to_delivery_p50_ms: 4,
      rate_50_event_to_delivery_p99_ms: 11,
    };
    expect(charts(figures, when)).toContain('| 50 | 3 | 9 | 20 | 60 | 4 | 11 |');
  });

  it('are absent when nothing was measured', () => {
    expect(charts({ creates_per_s: 1 }, when)).toBeNull();
  });

  it('replace the previous ones in the page, and nothing else', () => {
    const page = readFileSync(new URL('../docs/benchmarks.md', import.meta.url), 'utf8');
    const once = withCharts(page, 'ONE');
    expect(withCharts(once, 'TWO')).toBe(once.replace('ONE', 'TWO'));
    expect(() => withCharts('# Nothing', 'ONE')).toThrow(/no place/);
  });
});
