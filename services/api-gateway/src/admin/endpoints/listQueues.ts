import { readBacklog } from '@holdfast/db/backlog';
import { z } from 'zod';
import { keylessEndpoint } from '../../context/endpoint.ts';
import { BacklogRecord, backlogRecords, maxCounted, QueueRecord, queueRecord } from '../queueRecord.ts';

export const listQueues = keylessEndpoint({
  method: 'GET',
  path: '/admin/v1/queues',
  tag: 'Queues',
  summary: 'Show the queues and the pending work',
  access: 'operator',
  limit: 'other',
  responses: {
    200: {
      description: 'The queues in Redis and the backlog in the database',
      schema: z
        .object({
          queues: z.array(QueueRecord).nullable().describe('Null: Redis does not respond'),
          backlog: z.array(BacklogRecord),
        })
        .meta({ id: 'QueueList' }),
    },
  },
  async handle({ context }) {
    const [queues, backlog] = await Promise.all([
      context.queues.depths().catch(() => null),
      readBacklog(context.db, { atMost: maxCounted }),
    ]);
    const body = { queues: queues?.map(queueRecord) ?? null, backlog: backlogRecords(backlog) };
    return { status: 200, body };
  },
});
