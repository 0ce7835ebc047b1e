import type { Growth } from './growth.ts';
import type { Sample } from './sample.ts';
import type { SoakResult } from './soak.ts';

const mib = 2 ** 20;

/** The main figures of a sample, on one line. */
export function minuteLine({ atS, executions, values }: Sample): string {
  const sum = (ending: RegExp) =>
    Object.entries(values).reduce((total, [name, value]) => (ending.test(name) ? total + value : total), 0);
  const lagMs = Object.entries(values).filter(([name]) => name.endsWith(' lag ms'));
  return [
    `${Math.round(atS / 60)} min`,
    `${executions} executions`,
    `backlog ${sum(/^pending /)}`,
    `rss ${Math.round(sum(/ rss bytes$/) / mib)} MiB`,
    `heap ${Math.round(sum(/ heap bytes$/) / mib)} MiB`,
    `${sum(/ handles$/)} handles`,
    `lag ${Math.round(Math.max(0, ...lagMs.map(([, value]) => value)))} ms`,
    `tables ${Math.round(sum(/^table \w+ bytes$/) / mib)} MiB`,
    `indexes ${Math.round(sum(/^index \w+ bytes$/) / mib)} MiB`,
    `${values['redis keys'] ?? '?'} keys`,
    `${values['files on disk'] ?? '?'} files`,
  ].join(', ');
}

/** Whether there were no problems, and nothing grows that should not. */
export const isOk = ({
  problem_count: count,
  growth,
}: Pick<SoakResult, 'problem_count' | 'growth'>): boolean =>
  count === 0 && growth.every(({ verdict }) => verdict !== 'GROWS');

/** The whole result for people. */
export function report(result: SoakResult): string {
  const { growth, problems, problem_count: count, accepted, executions, events, faults } = result;
  const ends = Object.entries(executions).map(([status, number]) => `${number} ${status}`);
  return [
    growthTable(growth),
    '',
    `${accepted} executions accepted: ${ends.join(', ')}; ${events} events; ${faults.length} faults`,
    count === 0
      ? 'Every execution ended once and was charged once, every event arrived, the audit is clean.'
      : [`${count} problems:`, ...problems].join('\n  '),
    growthVerdict(growth),
  ].join('\n');
}

function growthVerdict(growth: readonly Growth[]): string {
  const growing = growth.filter(({ verdict }) => verdict === 'GROWS').map(({ name }) => name);
  if (growing.length > 0) return `Grows and should not: ${growing.join(', ')}.`;
  const isShort = growth.some(({ verdict }) => verdict === 'too few samples');
  return isShort ? 'The run was too short to show what grows.' : 'Nothing grows that should not.';
}

/** Growth per million executions; unexpected growth comes first. */
export function growthTable(growth: readonly Growth[]): string {
  const order = ['GROWS', 'steady', 'too few samples', 'by design'];
  const sorted = growth.toSorted((a, b) => order.indexOf(a.verdict) - order.indexOf(b.verdict));
  const rows = sorted.map(({ name, first, last, perMillion, verdict }) => {
    const shown = (value: number | null) => (value === null ? '-' : shownOf(name, value));
    return [name, shown(first), shown(last), shown(perMillion), verdict];
  });
  const table = [['series', 'first', 'last', 'per million executions', ''], ...rows];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  const cellOf = (cell: string, column: number) =>
    column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0);
  return table.map((row) => row.map(cellOf).join('  ').trimEnd()).join('\n');
}

function shownOf(name: string, value: number): string {
  return name.endsWith(' bytes') ? `${(value / mib).toFixed(1)} MiB` : String(Math.round(value));
}
