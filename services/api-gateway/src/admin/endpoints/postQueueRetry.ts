import { z } from 'zod';
import { keylessEndpoint } from '../../context/endpoint.ts';
import { queueParams, withQueue } from '../queueRecord.ts';

export const postQueueRetry = keylessEndpoint({
  method: 'POST',
  path: '/admin/v1/queues/{queue}/retry',
  tag: 'Queues',
  summary: 'Retry the failed jobs of a queue',
  description: 'It is safe to run a job twice.',
  access: 'operator',
  limit: 'other',
  params: queueParams,
  responses: {
    200: {
      description: 'The jobs are waiting again',
      schema: z.object({ retried: z.int().describe('Number of jobs') }).meta({ id: 'RetriedJobs' }),
    },
  },
  errors: ['SERVICE_UNAVAILABLE'],
  async handle({ context, params: { queue } }) {
    const retried = await withQueue(context, queue, (queues) => queues.retryFailed(queue));
    return { status: 200, body: { retried } };
  },
});
