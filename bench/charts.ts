import type { Figures } from './bench.ts';

type Points = readonly [number, number][];

/** The curves of a result as Mermaid charts and a table; null when none was measured. `when`: its day and commit. */
export function charts(figures: Figures, when: string): string | null {
  const parts = [
    rateChart(figures),
    latencyChart(figures),
    latencyTable(figures),
    ratesTable(figures),
  ].filter((one) => one !== null);
  return parts.length === 0 ? null : [`Measured ${when}.`, ...parts].join('\n\n');
}

function rateChart({ curve_creates_per_s: rate }: Figures): string | null {
  if (!Array.isArray(rate)) return null;
  return chart('Creates per second by clients', rate, 'creates per second', [rate]);
}

function latencyChart({ curve_p50_ms: p50, curve_p99_ms: p99 }: Figures): string | null {
  if (!Array.isArray(p50) || !Array.isArray(p99)) return null;
  return chart('Latency of creates by clients: p99 above, median below', p50, 'milliseconds', [p99, p50]);
}

function chart(title: string, [...categories]: Points, unit: string, lines: Points[]): string {
  return [
    '```mermaid',
    'xychart-beta',
    `  title "${title}"`,
    `  x-axis "clients" [${categories.map(([clients]) => clients).join(', ')}]`,
    `  y-axis "${unit}"`,
    ...lines.map((points) => `  line [${points.map(([, value]) => value).join(', ')}]`),
    '```',
  ].join('\n');
}

const distributions = {
  half_rate_create_distribution_ms: 'create, half the rate',
  create_distribution_ms: 'create, full load',
  lone_distribution_ms: 'create to webhook, one at a time',
  create_to_webhook_distribution_ms: 'create to webhook, full load',
};
const shares = { median: 0.5, p90: 0.9, p99: 0.99, slowest: 1 };

function latencyTable(figures: Figures): string | null {
  const rows = Object.entries(distributions).flatMap(([name, label]) => {
    const points = figures[name];
    if (!Array.isArray(points)) return [];
    const cells = Object.values(shares).map(
      (share) => points.find(([, reached]) => reached >= share)?.[0] ?? '',
    );
    return [[label, ...cells]];
  });
  return rows.length === 0 ? null : table(['Latency in ms', ...Object.keys(shares)], rows);
}

function table(head: string[], rows: (string | number)[][]): string {
  return [head, head.map((_, column) => (column === 0 ? '---' : '---:')), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

const percentileColumns = {
  create_p50_ms: 'create, median',
  create_p99_ms: 'p99',
  create_to_webhook_p50_ms: 'create to webhook, median',
  create_to_webhook_p99_ms: 'p99',
  event_to_delivery_p50_ms: 'event to delivery, median',
  event_to_delivery_p99_ms: 'p99',
};

function ratesTable(figures: Figures): string | null {
  const rows = Object.keys(figures)
    .flatMap((name) => /^rate_(\d+)_create_p50_ms$/.exec(name)?.[1] ?? [])
    .map((rate) => [
      rate,
      ...Object.keys(percentileColumns).map((column) => String(figures[`rate_${rate}_${column}`] ?? '')),
    ]);
  return rows.length === 0 ? null : table(['Executions/s', ...Object.values(percentileColumns)], rows);
}

const [start, end] = ['<!-- charts: written by `npm run bench` -->', '<!-- end of charts -->'];

/** A Markdown page with these charts between its two marks. @throws when the marks are missing */
export function withCharts(page: string, text: string): string {
  const [from, to] = [page.indexOf(start), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error('docs/benchmarks.md has no place for the charts');
  return `${page.slice(0, from + start.length)}\n\n${text}\n\n${page.slice(to)}`;
}
