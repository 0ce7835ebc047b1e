import type { z } from 'zod';
import { adminCommand } from '../admin/adminCommand.ts';
import { adminPath } from '../admin/api.ts';
import { executionWithAttempts, type Review } from '../admin/records.ts';
import type { Context } from '../command.ts';
import { printFacts, printTable } from '../output/print.ts';
import { shownAge, shownTime } from '../output/times.ts';
import { shownCost } from '../review/review.ts';

export const executionsShow = adminCommand({
  name: 'executions show',
  operands: ['execution'],
  request: (admin, [id]) => admin.request('GET', adminPath('executions', id)),
  show: (body, context) => printExecution(context, executionWithAttempts.parse(body)),
});

function reviewText({ state, reported_cost: reported, charged, decided_by: by }: Review): string {
  const decided = charged === null ? `written off by ${by}` : `${charged} accepted by ${by}`;
  return `${shownCost(reported)} reported, ${state === 'open' ? 'open: holdfast review accept or write-off' : decided}`;
}

function printExecution(context: Context, one: z.infer<typeof executionWithAttempts>): void {
  printFacts(context, {
    id: one.id,
    organization: one.organization_id,
    status: one.status,
    model: one.model,
    priority: one.priority,
    progress: one.progress,
    created: shownTime(one.created_at),
    started: shownTime(one.started_at),
    ended: shownTime(one.completed_at),
    expires: one.completed_at === null ? shownTime(one.expires_at) : null,
    hold: one.hold_amount,
    cost: one.cost,
    'written off': one.written_off,
    review: one.review && reviewText(one.review),
    error: one.error && `${one.error.code}: ${one.error.message}`,
    webhook_url: one.webhook_url,
  });
  context.print('');
  printTable(
    context,
    one.attempts,
    {
      ATTEMPT: ({ number }) => String(number),
      STATE: ({ state }) => state,
      PROVIDER: ({ provider }) => provider,
      'MODEL THERE': ({ target }) => target,
      COST: ({ cost }) => cost ?? '',
      TOOK: ({ duration_ms: tookMs }) => (tookMs === null ? '' : `${(tookMs / 1000).toFixed(1)} s`),
      AGE: ({ created_at }) => shownAge(created_at),
    },
    {
      "PROVIDER'S ID": ({ external_id }) => external_id ?? '',
      BUSY: ({ busy_refusals: count }) => (count === 0 ? '' : `${count} ${count === 1 ? 'time' : 'times'}`),
      ESTIMATED: ({ estimated }) => estimated.join(', '),
      ERROR: ({ outcome, raw_error }) => [outcome?.code, raw_error].filter(Boolean).join(': '),
    },
  );
}
