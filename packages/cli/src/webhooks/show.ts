import { readList, webhooksPath } from '../admin/api.ts';
import { type Delivery, delivery, endpointBacklog, webhookEndpoint } from '../admin/records.ts';
import type { Context } from '../command.ts';
import { readLimit, readOperands } from '../flags.ts';
import { printFacts, printJson, printTable } from '../output/print.ts';
import { shownAge, shownTime, shownUtc } from '../output/times.ts';

export async function webhooksShow(args: string[], context: Context): Promise<number> {
  const options = {
    attempted: { type: 'boolean', default: false },
    limit: { type: 'string' },
    json: { type: 'boolean', default: false },
  } as const;
  const names = ['org', 'endpoint-or-delivery'] as const;
  const { operands, values } = readOperands('webhooks show', args, names, options);
  const limit = readLimit(values.limit, 20);
  const [org, id] = operands;
  if (id.startsWith('dlv_')) await showDelivery(context, webhooksPath(org, 'deliveries', id), values.json);
  else await showEndpoint(context, webhooksPath(org, 'endpoints', id), { ...values, limit });
  return 0;
}

async function showDelivery(context: Context, path: string, json: boolean): Promise<void> {
  const response = await context.openAdmin().request('GET', path);
  if (json) {
    printJson(context, response);
    return;
  }
  const one = delivery.parse(response);
  printFacts(context, {
    id: one.id,
    status: one.status,
    event: `${one.event_type} ${one.event_id}`,
    execution: one.execution_id,
    url: one.url,
    made: shownTime(one.created_at),
    'next attempt': shownTime(one.next_attempt_at),
  });
  context.print('');
  printTable(context, one.attempts, {
    ATTEMPT: ({ number }) => String(number),
    STATUS: ({ status_code }) => String(status_code ?? ''),
    TOOK: ({ duration_ms: tookMs }) => (tookMs === null ? '' : `${tookMs} ms`),
    'SENT (UTC)': ({ started_at }) => shownUtc(started_at),
    ERROR: ({ error }) => error ?? '',
  });
}

async function showEndpoint(
  context: Context,
  path: string,
  { attempted, limit, json }: { attempted: boolean; limit: number; json: boolean },
): Promise<void> {
  const admin = context.openAdmin();
  const one = webhookEndpoint.parse(await admin.request('GET', path));
  const backlog = endpointBacklog.parse(await admin.request('GET', `${path}/backlog`));
  const query = { attempted: attempted ? 'true' : undefined };
  const list = { field: 'deliveries', query, limit, item: delivery };
  const { data: deliveries } = await readList(admin, `${path}/deliveries`, list);
  if (json) {
    printJson(context, { ...one, backlog, deliveries });
    return;
  }
  printFacts(context, {
    id: one.id,
    url: one.url,
    active: one.is_active ? 'yes' : 'no',
    events: one.events.join(', ') || 'all',
    'failures in a row': one.failure_count,
    'last success': shownTime(one.last_success),
    'last failure': shownTime(one.last_failure),
    'last error': one.last_error,
    'off since': shownTime(backlog.deactivated_at),
    waiting: `${backlog.waiting}${backlog.has_more_waiting ? '+' : ''}`,
    created: shownTime(one.created_at),
  });
  if (backlog.last_attempts.length > 0) {
    context.print('');
    printTable(
      context,
      backlog.last_attempts,
      {
        'ATTEMPTED (UTC)': ({ started_at }) => shownUtc(started_at),
        RESULT: ({ error, status_code }) => error ?? String(status_code ?? ''),
        RESPONSE: ({ response }) => response ?? '',
      },
      { DELIVERY: ({ delivery_id }) => delivery_id },
    );
  }
  context.print('');
  printTable(
    context,
    deliveries,
    {
      STATUS: ({ status }) => status,
      ATTEMPTS: ({ attempts }) => String(attempts.length),
      AGE: ({ created_at }) => shownAge(created_at),
      EVENT: ({ event_type }) => event_type,
      'LAST RESPONSE': lastResponse,
    },
    { DELIVERY: ({ id }) => id },
  );
}

function lastResponse({ attempts }: Delivery): string {
  const last = attempts.at(-1);
  return last?.error ?? String(last?.status_code ?? '');
}
