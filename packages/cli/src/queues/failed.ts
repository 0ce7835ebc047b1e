import { queueNames } from '@holdfast/queues/definitions';
import type { Context } from '../command.ts';
import { readLimit, readOperands } from '../flags.ts';
import { sayJson } from '../output/print.ts';
import { sayTable } from '../output/table.ts';
import { shownAge } from '../output/times.ts';
import { UsageError } from '../usageError.ts';

export async function queuesFailed(args: string[], context: Context): Promise<number> {
  const options = { limit: { type: 'string' }, json: { type: 'boolean' } } as const;
  const { operands, values } = readOperands('queues failed', args, ['queue'], options);
  const jobs = await (await context.openInspector()).failed(known(operands[0]), readLimit(values.limit, 20));
  const data = jobs.map(({ id, reason, failedAt, tries }) => ({
    id,
    reason,
    tries,
    failed_at: failedAt?.toISOString() ?? null,
  }));
  if (values.json) sayJson(context, { queue: operands[0], data });
  else if (data.length === 0) context.say('None is kept.');
  else
    sayTable(
      context,
      data,
      {
        AGE: (job) => shownAge(job.failed_at),
        TRIES: ({ tries }) => String(tries),
        REASON: ({ reason }) => reason,
      },
      { JOB: ({ id }) => id },
    );
  return 0;
}

export async function queuesRetry(args: string[], context: Context): Promise<number> {
  const { operands, values } = readOperands('queues retry', args, ['queue'], { json: { type: 'boolean' } });
  const queue = known(operands[0]);
  const retried = await (await context.openInspector()).retryFailed(queue);
  if (values.json) sayJson(context, { queue, retried });
  else context.say(`${retried} jobs of ${queue} wait again.`);
  return 0;
}

export async function queuesResume(args: string[], context: Context): Promise<number> {
  const { operands, values } = readOperands('queues resume', args, ['queue'], {
    json: { type: 'boolean' },
  });
  const queue = known(operands[0]);
  const resumed = await (await context.openInspector()).resume(queue);
  if (values.json) sayJson(context, { queue, resumed });
  else context.say(resumed ? `The jobs of ${queue} are taken again.` : `${queue} is not paused.`);
  return 0;
}

function known(queue: string): string {
  if (queueNames.includes(queue)) return queue;
  throw new UsageError(`there is no queue "${queue}": one of ${queueNames.join(', ')}`);
}
