import type { Restarted } from './restart.ts';
import type { Rolled } from './roll.ts';

const maxProblems = 50;
const columns = ['restarted', 'ended after', 'how', 'ready after', 'requests', 'failed'] as const;

/** Formats the restarts, the requests of clients meanwhile, and the problems. */
export function report(rolled: Rolled): string {
  const { requests, resumed, executions, webhooks, problems } = rolled;
  const rows = [[...columns], ...rolled.restarts.map(rowOf)];
  const widths = columns.map((_, index) => Math.max(...rows.map((row) => row[index]?.length ?? 0)));
  const lines = rows.map((row) => row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join('  '));
  const seen = `${requests} requests, ${executions} executions, ${webhooks} webhooks, ${resumed} streams resumed`;
  const verdict =
    problems.length === 0
      ? 'No request failed, nothing was lost or done twice, the audit passed.'
      : [`${problems.length} problems:`, ...problems.slice(0, maxProblems)].join('\n  ');
  return [...lines, '', seen, verdict].join('\n');
}

function rowOf({ name, how, endedAfterMs, readyAfterMs, requests, failures }: Restarted): string[] {
  return [name, `${endedAfterMs} ms`, how, `${readyAfterMs} ms`, String(requests), String(failures)];
}
