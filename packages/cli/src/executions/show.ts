import type { z } from 'zod';
import { askCommand } from '../admin/askCommand.ts';
import { adminPath } from '../admin/path.ts';
import { executionWithAttempts } from '../admin/shapes.ts';
import type { Context } from '../command.ts';
import { sayFacts, sayTable } from '../output/print.ts';
import { shownTime } from '../output/times.ts';

export const executionsShow = askCommand({
  name: 'executions show',
  about: 'show an execution of any organization and every try of it at a provider; its input is never shown',
  usage: 'holdfast executions show <execution> [--json]',
  operands: ['execution'],
  ask: (admin, [id]) => admin.ask('GET', adminPath('executions', id)),
  show: (answer, context) => say(context, executionWithAttempts.parse(answer)),
});

function say(context: Context, one: z.infer<typeof executionWithAttempts>): void {
  sayFacts(context, {
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
    error: one.error && `${one.error.code}: ${one.error.message}`,
    webhook_url: one.webhook_url,
  });
  context.say('');
  sayTable(
    context,
    ['TRY', 'PROVIDER', 'MODEL THERE', 'STATE', 'BEGUN', 'TOOK', 'COST', 'THEIR ID', 'WHAT WENT WRONG'],
    one.attempts.map((attempt) => [
      String(attempt.number),
      attempt.provider,
      attempt.target,
      attempt.state,
      shownTime(attempt.created_at),
      attempt.duration_ms === null ? '' : `${(attempt.duration_ms / 1000).toFixed(1)} s`,
      attempt.cost ?? '',
      attempt.external_id ?? '',
      [attempt.outcome?.code, attempt.raw_error].filter(Boolean).join(': '),
    ]),
  );
}
