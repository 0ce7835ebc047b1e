import { UsageError } from '@holdfast/kit/flags';
import { z } from 'zod';
import { adminCommand } from '../admin/adminCommand.ts';
import { webhooksPath } from '../admin/api.ts';
import type { Context } from '../command.ts';
import { readOperands } from '../flags.ts';
import { printJson } from '../output/print.ts';
import { sinceTime } from '../output/times.ts';

export const webhooksRedeliver = adminCommand({
  name: 'webhooks redeliver',
  operands: ['org', 'delivery'],
  request: (admin, [org, id]) => admin.request('POST', webhooksPath(org, 'deliveries', id, 'redeliver')),
  show: (_body, { print }, [, id]) => print(`${id} will be delivered again now.`),
});

const recovered = z.object({ redelivered: z.number(), has_more: z.boolean() });

export async function webhooksRecover(args: string[], context: Context): Promise<number> {
  const options = { since: { type: 'string' }, json: { type: 'boolean' } } as const;
  const { operands, values } = readOperands('webhooks recover', args, ['org', 'endpoint'], options);
  const since = sinceTime(values.since);
  if (since === undefined) throw new UsageError('holdfast webhooks recover needs --since');
  const [org, id] = operands;
  const admin = context.openAdmin();
  let redelivered = 0;
  for (let isMore = true; isMore; ) {
    const path = webhooksPath(org, 'endpoints', id, 'recover');
    const response = recovered.parse(await admin.request('POST', path, { body: { since } }));
    redelivered += response.redelivered;
    isMore = response.has_more;
    if (isMore) context.report(`${redelivered} deliveries so far`);
  }
  if (values.json) printJson(context, { endpoint_id: id, since, redelivered });
  else context.print(`${redelivered} deliveries to ${id} will be sent again now.`);
  return 0;
}
