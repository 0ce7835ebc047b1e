import { queueNames } from '@holdfast/queues/queues';
import type { Command } from '../command.ts';
import { readLimit, readOperands } from '../flags.ts';
import { sayJson, sayTable } from '../output/print.ts';
import { shownTime } from '../output/times.ts';
import { UsageError } from '../usageError.ts';

const choices = queueNames.join('|');

export const queuesFailed: Command = {
  name: 'queues failed',
  about: `list the failed jobs of a queue that are kept, with their reasons. Few are, for a minute: a job is a hint, and what
it hinted at is found again by a sweep. The services' logs have the others.`,
  usage: `holdfast queues failed <${choices}> [--limit 20] [--json]`,
  async run(args, context) {
    const options = { limit: { type: 'string' }, json: { type: 'boolean' } } as const;
    const { operands, values } = readOperands('queues failed', args, ['queue'], options);
    const jobs = await (await context.openInspector()).failed(
      known(operands[0]),
      readLimit(values.limit, 20),
    );
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
        ['JOB', 'FAILED', 'TRIES', 'REASON'],
        data.map((job) => [job.id, shownTime(job.failed_at), String(job.tries), job.reason]),
      );
    return 0;
  },
};

export const queuesRetry: Command = {
  name: 'queues retry',
  about:
    'put the failed jobs of a queue that are kept back to wait; a job that runs twice does its work once',
  usage: `holdfast queues retry <${choices}> [--json]`,
  changes: () => true,
  async run(args, context) {
    const { operands, values } = readOperands('queues retry', args, ['queue'], { json: { type: 'boolean' } });
    const queue = known(operands[0]);
    const retried = await (await context.openInspector()).retryFailed(queue);
    if (values.json) sayJson(context, { queue, retried });
    else context.say(`${retried} jobs of ${queue} wait again.`);
    return 0;
  },
};

export const queuesResume: Command = {
  name: 'queues resume',
  about: 'let the jobs of a queue be taken again that somebody has paused with a tool of BullMQ',
  usage: `holdfast queues resume <${choices}> [--json]`,
  changes: () => true,
  async run(args, context) {
    const { operands, values } = readOperands('queues resume', args, ['queue'], {
      json: { type: 'boolean' },
    });
    const queue = known(operands[0]);
    const resumed = await (await context.openInspector()).resume(queue);
    if (values.json) sayJson(context, { queue, resumed });
    else context.say(resumed ? `The jobs of ${queue} are taken again.` : `${queue} is not paused.`);
    return 0;
  },
};

function known(queue: string): string {
  if (queueNames.includes(queue)) return queue;
  throw new UsageError(`there is no queue "${queue}": one of ${queueNames.join(', ')}`);
}
