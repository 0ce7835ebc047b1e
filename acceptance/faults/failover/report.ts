import { faults } from './faults.ts';
import type { Result, Round } from './run.ts';

const maxProblems = 50;

/** Formats the seconds without accepts by fault, what was lost, and the problems. */
export function report(result: Result): string {
  const { rounds, executions, perSecond, events, responses, lost, repeated, notes, problems } = result;
  const kinds = faults.filter((fault) => rounds.some((round) => round.fault === fault));
  const refused = [...responses].filter(([status]) => status !== 202);
  return [
    'Seconds without an accepted execution, until the webhook of a new one, and from the end of the fault until all is healthy:',
    ...kinds.map((kind) =>
      rowOf(
        kind,
        rounds.filter(({ fault }) => fault === kind),
      ),
    ),
    rowOf('all', rounds),
    '',
    `${executions} executions accepted (${perSecond.toFixed(0)} per second with the pauses), ${events} events delivered; other responses: ${refused.map(([status, count]) => `${count} times ${status === 0 ? 'none' : status}`).join(', ') || 'none'}`,
    ...notes,
    `${lost.length} accepted executions lost, ${repeated} needed a second attempt`,
    problems.length === 0
      ? 'No execution was charged twice, every event arrived, the audit passed.'
      : [`${problems.length} problems:`, ...problems.slice(0, maxProblems)].join('\n  '),
  ].join('\n');
}

function rowOf(name: string, rounds: readonly Round[]): string {
  const gaps = spread(rounds.map(({ gapS }) => gapS));
  const heals = spread(rounds.map(({ healS }) => healS));
  const webhooks = spread(rounds.map(({ webhookS }) => webhookS));
  return `  ${name.padEnd(12)} ${gaps}   webhooks ${webhooks}   healthy ${heals}   (${rounds.length} rounds)`;
}

function spread(seconds: readonly number[]): string {
  const sorted = seconds.toSorted((a, b) => a - b);
  const [p50, worst] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted.at(-1)].map((one = 0) =>
    one.toFixed(1).padStart(6),
  );
  return `p50 ${p50}   worst ${worst}`;
}
