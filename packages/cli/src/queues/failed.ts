import { UsageError } from '@holdfast/kit/flags';
import { queueNames } from '@holdfast/queues/definitions';
import type { Context } from '../command.ts';
import { readLimit, readOperands } from '../flags.ts';
import { printJson, printTable } from '../output/print.ts';
import { shownAge } from '../output/times.ts';

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
  if (values.json) printJson(context, { queue: operands[0], data });
  else if (data.length === 0) context.print('There are no failed jobs.');
  else
    printTable(
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
  if (values.json) printJson(context, { queue, retried });
  else context.print(`${retried} failed jobs of ${queue} are waiting again.`);
  return 0;
}

export async function queuesResume(args: string[], context: Context): Promise<number> {
  const { operands, values } = readOperands('queues resume', args, ['queue'], {
    json: { type: 'boolean' },
  });
  const queue = known(operands[0]);
  const resumed = await (await context.openInspector()).resume(queue);
  if (values.json) printJson(context, { queue, resumed });
  else context.print(resumed ? `${queue} is resumed.` : `${queue} is not paused.`);
  return 0;
}

function known(queue: string): string {
  if (queueNames.includes(queue)) return queue;
  throw new UsageError(`there is no queue "${queue}": one of ${queueNames.join(', ')}`);
}
