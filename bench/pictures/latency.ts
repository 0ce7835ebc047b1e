import type { Figures } from '../bench.ts';
import { chart } from './chart.ts';
import { logTicks } from './ticks.ts';

const shares = [0, 0.25, 0.5, 0.75, 1];

/** Cumulative distributions of what clients wait for; null when none was measured. */
export function latencyPicture(figures: Figures, when: string): string | null {
  const lines = [
    { name: 'create, half the rate', of: 'half_rate_create_distribution_ms', color: '#2f81f7' },
    { name: 'create, full load', of: 'create_distribution_ms', color: '#3fb950' },
    { name: 'to webhook, alone', of: 'lone_distribution_ms', color: '#a371f7' },
    { name: 'to webhook, full load', of: 'create_to_webhook_distribution_ms', color: '#db6d28' },
  ].flatMap(({ of, ...line }) => {
    const points = figures[of];
    return Array.isArray(points) ? [{ ...line, points }] : [];
  });
  const values = lines.flatMap(({ points }) => points.map(([ms]) => ms)).filter((ms) => ms > 0);
  if (values.length === 0) return null;
  const ticks = logTicks(Math.min(...values), Math.max(...values));
  return chart({
    title: 'How long it takes',
    note: `from a create until its answer, or its webhook; everything on one machine; ${when}`,
    x: {
      label: 'milliseconds',
      from: ticks[0] ?? 1,
      to: ticks.at(-1) ?? 10,
      ticks,
      isLog: true,
      show: (value) => value.toLocaleString('en'),
    },
    left: {
      label: 'share of executions',
      from: 0,
      to: 1,
      ticks: shares,
      show: (value) => `${value * 100} %`,
    },
    lines,
  });
}
