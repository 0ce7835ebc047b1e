import type { Figures } from '../bench.ts';
import { chart } from './chart.ts';
import { aligned, roundTicks } from './ticks.ts';

/** Rate and latency of creates against clients; null when the curve was not measured. */
export function ratePicture(figures: Figures, when: string): string | null {
  const { curve_creates_per_s: rate, curve_p50_ms: p50, curve_p99_ms: p99 } = figures;
  if (!Array.isArray(rate) || !Array.isArray(p50) || !Array.isArray(p99)) return null;
  const clients = rate.map(([count]) => count);
  const mostPerS = roundTicks(Math.max(...rate.map(([, perS]) => perS)));
  const mostMs = roundTicks(Math.max(...p99.map(([, ms]) => ms)));
  const rateTicks = aligned(mostPerS, mostMs);
  const latencyTicks = aligned(mostMs, mostPerS);
  return chart({
    title: 'Creates by clients',
    note: `one organization, one gateway, everything on one machine with PostgreSQL's durable defaults; ${when}`,
    x: {
      label: 'clients',
      from: Math.min(...clients),
      to: Math.max(...clients),
      ticks: clients,
      isLog: true,
    },
    left: {
      label: 'creates per second',
      from: 0,
      to: rateTicks.at(-1) ?? 1,
      ticks: rateTicks,
      show: (value) => value.toLocaleString('en'),
    },
    right: { label: 'latency in ms', from: 0, to: latencyTicks.at(-1) ?? 1, ticks: latencyTicks },
    lines: [
      { name: 'creates per second', points: rate, color: '#2f81f7' },
      { name: 'latency, median', points: p50, color: '#3fb950', isRight: true },
      { name: 'latency, 99th percentile', points: p99, color: '#db6d28', isRight: true },
    ],
  });
}
