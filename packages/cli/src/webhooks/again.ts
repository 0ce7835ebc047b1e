import { z } from 'zod';
import { askCommand } from '../admin/askCommand.ts';
import type { Context } from '../command.ts';
import { readOperands } from '../flags.ts';
import { sayJson } from '../output/print.ts';
import { sinceTime } from '../output/times.ts';
import { UsageError } from '../usageError.ts';
import { webhooksPath } from './paths.ts';

export const webhooksRedeliver = askCommand({
  name: 'webhooks redeliver',
  operands: ['org', 'delivery'],
  ask: (admin, [org, id]) => admin.ask('POST', webhooksPath(org, 'deliveries', id, 'redeliver')),
  show: (_answer, { say }, [, id]) => say(`${id} is due again.`),
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
    const answer = recovered.parse(await admin.ask('POST', path, { body: { since } }));
    redelivered += answer.redelivered;
    isMore = answer.has_more;
    if (isMore) context.tell(`${redelivered} are due again so far`);
  }
  if (values.json) sayJson(context, { endpoint_id: id, since, redelivered });
  else context.say(`${redelivered} deliveries to ${id} are due again.`);
  return 0;
}
