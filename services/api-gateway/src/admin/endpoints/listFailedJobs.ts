import { z } from 'zod';
import { keylessEndpoint } from '../../context/endpoint.ts';
import { integerParameter, timestamp } from '../../http/fields.ts';
import { queueParams, withQueue } from '../queueRecord.ts';

export const listFailedJobs = keylessEndpoint({
  method: 'GET',
  path: '/admin/v1/queues/{queue}/failed-jobs',
  tag: 'Queues',
  summary: 'List the failed jobs that a queue keeps',
  description:
    'Newest first. A queue keeps only a few, for a minute, because a sweep finds the work of a failed job again; the logs ' +
    'of the services have them all.',
  access: 'operator',
  limit: 'other',
  params: queueParams,
  query: z.object({
    limit: integerParameter({ min: 1, max: 100, default: 20 }).describe('Maximum number of jobs to return'),
  }),
  responses: {
    200: {
      description: 'The failed jobs',
      schema: z
        .object({
          data: z.array(
            z
              .object({
                id: z.string(),
                reason: z.string().describe('The error of its last try'),
                tries: z.int(),
                failed_at: timestamp('When it failed').nullable(),
              })
              .meta({ id: 'FailedJob' }),
          ),
        })
        .meta({ id: 'FailedJobList' }),
    },
  },
  errors: ['SERVICE_UNAVAILABLE'],
  async handle({ context, params, query }) {
    const jobs = await withQueue(context, params.queue, (queues) => queues.failed(params.queue, query.limit));
    const data = jobs.map(({ id, reason, tries, failedAt }) => ({
      id,
      reason,
      tries,
      failed_at: failedAt?.toISOString() ?? null,
    }));
    return { status: 200, body: { data } };
  },
});
