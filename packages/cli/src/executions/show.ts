import { executionWithAttempts } from '../admin/shapes.ts';
import type { Command, Context } from '../command.ts';
import { readOperands } from '../flags.ts';
import { sayFacts, sayJson, sayTable } from '../output/print.ts';
import { shownTime } from '../output/times.ts';

export const executionsShow: Command = {
  name: 'executions show',
  about: 'show an execution of any organization and every try of it at a provider; its input is never shown',
  usage: 'holdfast executions show <execution> [--json]',
  async run(args, context) {
    const options = { json: { type: 'boolean' } } as const;
    const { operands, values } = readOperands('executions show', args, ['execution'], options);
    const answer = await context.openAdmin().ask('GET', `/executions/${encodeURIComponent(operands[0])}`);
    if (values.json) sayJson(context, answer);
    else say(context, executionWithAttempts.parse(answer));
    return 0;
  },
};

function say(context: Context, one: ReturnType<typeof executionWithAttempts.parse>): void {
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
