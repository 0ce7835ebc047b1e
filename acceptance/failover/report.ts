import { faults } from './faults.ts';
import type { Result, Round } from './run.ts';

const maxProblems = 50;

/** Formats the seconds without accepts by fault, what was lost, and the problems. */
export function report({ rounds, executions, events, responses, lost, repeated, problems }: Result): string {
  const kinds = faults.filter((fault) => rounds.some((round) => round.fault === fault));
  const refused = [...responses].filter(([status]) => status !== 202);
  return [
    'Seconds without an accepted execution:',
    ...kinds.map((kind) =>
      rowOf(
        kind,
        rounds.filter(({ fault }) => fault === kind),
      ),
    ),
    rowOf('all', rounds),
    '',
    `${executions} executions accepted, ${events} events delivered; other responses: ${refused.map(([status, count]) => `${count} times ${status === 0 ? 'none' : status}`).join(', ') || 'none'}`,
    `${lost.length} accepted executions lost, ${repeated} run more than once`,
    problems.length === 0
      ? 'No execution was charged twice, every event arrived, the audit passed.'
      : [`${problems.length} problems:`, ...problems.slice(0, maxProblems)].join('\n  '),
  ].join('\n');
}

function rowOf(name: string, rounds: readonly Round[]): string {
  const gaps = rounds.map(({ gapS }) => gapS).toSorted((a, b) => a - b);
  const shown = [gaps[Math.ceil(gaps.length / 2) - 1], gaps.at(-1)].map((gap = 0) =>
    gap.toFixed(1).padStart(6),
  );
  return `  ${name.padEnd(12)} p50 ${shown[0]}   worst ${shown[1]}   (${gaps.length} rounds)`;
}
