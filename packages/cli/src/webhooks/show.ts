import { readList } from '../admin/list.ts';
import { type Delivery, delivery, webhookEndpoint } from '../admin/shapes.ts';
import type { Command, Context } from '../command.ts';
import { readLimit, readOperands } from '../flags.ts';
import { sayFacts, sayJson, sayTable } from '../output/print.ts';
import { shownTime } from '../output/times.ts';
import { webhooksPath } from './paths.ts';

export const webhooksShow: Command = {
  name: 'webhooks show',
  about: 'show an endpoint (wh_…) with its last deliveries, or a delivery (dlv_…) with its attempts',
  usage: 'holdfast webhooks show <org> <endpoint-or-delivery> [--limit 20] [--json]',
  async run(args, context) {
    const options = { limit: { type: 'string' }, json: { type: 'boolean', default: false } } as const;
    const names = ['org', 'endpoint-or-delivery'] as const;
    const { operands, values } = readOperands('webhooks show', args, names, options);
    const limit = readLimit(values.limit, 20);
    const [org, id] = operands;
    if (id.startsWith('dlv_')) await showDelivery(context, webhooksPath(org, 'deliveries', id), values.json);
    else await showEndpoint(context, webhooksPath(org, 'endpoints', id), { limit, json: values.json });
    return 0;
  },
};

async function showDelivery(context: Context, path: string, json: boolean): Promise<void> {
  const answer = await context.openAdmin().ask('GET', path);
  if (json) {
    sayJson(context, answer);
    return;
  }
  const one = delivery.parse(answer);
  sayFacts(context, {
    id: one.id,
    status: one.status,
    event: `${one.event_type} ${one.event_id}`,
    execution: one.execution_id,
    url: one.url,
    made: shownTime(one.created_at),
    'next attempt': shownTime(one.next_attempt_at),
  });
  context.say('');
  sayTable(
    context,
    ['ATTEMPT', 'SENT', 'STATUS', 'TOOK', 'ERROR'],
    one.attempts.map((attempt) => [
      String(attempt.number),
      shownTime(attempt.started_at),
      String(attempt.status_code ?? ''),
      attempt.duration_ms === null ? '' : `${attempt.duration_ms} ms`,
      attempt.error ?? '',
    ]),
  );
}

async function showEndpoint(
  context: Context,
  path: string,
  { limit, json }: { limit: number; json: boolean },
): Promise<void> {
  const admin = context.openAdmin();
  const one = webhookEndpoint.parse(await admin.ask('GET', path));
  const list = { field: 'deliveries', limit, item: delivery };
  const { data: deliveries } = await readList(admin, `${path}/deliveries`, list);
  if (json) {
    sayJson(context, { ...one, deliveries });
    return;
  }
  sayFacts(context, {
    id: one.id,
    url: one.url,
    active: one.is_active ? 'yes' : 'no',
    events: one.events.join(', ') || 'all',
    'failures in a row': one.failure_count,
    'last success': shownTime(one.last_success),
    'last failure': shownTime(one.last_failure),
    'last error': one.last_error,
    created: shownTime(one.created_at),
  });
  context.say('');
  sayTable(
    context,
    ['DELIVERY', 'STATUS', 'ATTEMPTS', 'MADE', 'EVENT', 'LAST ANSWER'],
    deliveries.map(rowOf),
  );
}

function rowOf(one: Delivery): string[] {
  const last = one.attempts.at(-1);
  const answer = last?.error ?? String(last?.status_code ?? '');
  const made = shownTime(one.created_at);
  return [one.id, one.status, String(one.attempts.length), made, one.event_type, answer];
}
