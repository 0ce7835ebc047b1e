import type { Backlog, BacklogKind } from '@holdfast/db/backlog';
import { ApiError } from '@holdfast/domain/errors';
import { queueNames } from '@holdfast/queues/definitions';
import type { QueueDepth } from '@holdfast/queues/depth';
import { z } from 'zod';
import type { Context } from '../context/context.ts';
import { notFound, withCommas } from '../http/fields.ts';

export const QueueRecord = z
  .object({
    queue: z.string().meta({ example: 'settle' }),
    waiting: z.int(),
    active: z.int(),
    delayed: z.int(),
    failed: z.int().describe('Jobs that failed and are kept'),
    is_paused: z.boolean().describe('Whether workers take no jobs from it'),
    oldest_waiting_s: z.number().nullable().describe('Since when its first job waits; null: none does'),
  })
  .meta({ id: 'Queue' });

export function queueRecord(depth: QueueDepth): z.infer<typeof QueueRecord> {
  const { queue, waiting, active, delayed, failed, isPaused, oldestWaitingMs } = depth;
  return {
    queue,
    waiting,
    active,
    delayed,
    failed,
    is_paused: isPaused,
    oldest_waiting_s: oldestWaitingMs === null ? null : oldestWaitingMs / 1000,
  };
}

/** In the order of an execution's life. */
const backlogKinds = [
  'pending',
  'waiting_tries',
  'busy',
  'running',
  'abandoned',
  'callbacks',
  'unsettled',
  'overdue',
  'events',
  'deliveries',
  'reviews',
] as const satisfies readonly BacklogKind[];

/** No more of a kind are counted. */
export const maxCounted = 10_000;

export const BacklogRecord = z
  .object({
    kind: z.enum(backlogKinds),
    count: z.int().describe(`At most ${withCommas(maxCounted)} are counted`),
    oldest_s: z.number().nullable().describe('Age of the oldest; null: there is none'),
  })
  .meta({ id: 'Backlog', description: 'Pending work in the database, of which the queues only carry hints' });

export function backlogRecords(backlog: Backlog): z.infer<typeof BacklogRecord>[] {
  return backlogKinds.map((kind) => ({ kind, count: backlog[kind].count, oldest_s: backlog[kind].oldestS }));
}

export const queueParams = z.object({
  queue: z.string().meta({ description: `One of ${queueNames.join(', ')}`, example: 'settle' }),
});

/** @throws NOT_FOUND for an unknown queue, SERVICE_UNAVAILABLE without Redis */
export async function withQueue<Result>(
  { queues, log }: Context,
  queue: string,
  work: (controls: Context['queues']) => Promise<Result>,
): Promise<Result> {
  if (!queueNames.includes(queue)) throw notFound('queue');
  try {
    return await work(queues);
  } catch (error) {
    log.warn({ err: error, queue }, 'could not reach a queue');
    const message =
      'Redis does not respond. Nothing is lost: sweeps find the work in the database. Try again shortly.';
    throw new ApiError('SERVICE_UNAVAILABLE', message, { headers: { 'Retry-After': '5' } });
  }
}
