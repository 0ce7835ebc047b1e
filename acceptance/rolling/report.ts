import type { Restarted } from './restart.ts';
import type { Rolled } from './roll.ts';

const mostTroubles = 50;
const columns = ['restarted', 'ended after', 'how', 'ready after', 'requests', 'failed'] as const;

/** What was restarted, what clients did meanwhile, and what went wrong, as text. */
export function report(rolled: Rolled): string {
  const { requests, resumed, executions, webhooks, troubles } = rolled;
  const rows = [[...columns], ...rolled.restarts.map(rowOf)];
  const widths = columns.map((_, index) => Math.max(...rows.map((row) => row[index]?.length ?? 0)));
  const lines = rows.map((row) => row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join('  '));
  const seen = `${requests} requests, ${executions} executions, ${webhooks} webhooks, ${resumed} streams resumed`;
  const verdict =
    troubles.length === 0
      ? 'Nobody noticed: no request failed, nothing is lost or done twice, the audit is clean.'
      : [`${troubles.length} troubles:`, ...troubles.slice(0, mostTroubles)].join('\n  ');
  return [...lines, '', seen, verdict].join('\n');
}

function rowOf({ name, how, endedAfterMs, readyAfterMs, requests, failures }: Restarted): string[] {
  return [name, `${endedAfterMs} ms`, how, `${readyAfterMs} ms`, String(requests), String(failures)];
}
