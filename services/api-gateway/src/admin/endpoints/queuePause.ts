import { z } from 'zod';
import { keylessEndpoint } from '../../context/endpoint.ts';
import { queueParams, withQueue } from '../queueRecord.ts';

const responses = {
  200: {
    description: 'The state of the queue',
    schema: z.object({ is_paused: z.boolean() }).meta({ id: 'QueueState' }),
  },
};

export const putQueuePause = keylessEndpoint({
  method: 'PUT',
  path: '/admin/v1/queues/{queue}/pause',
  tag: 'Queues',
  summary: 'Pause a queue',
  description:
    'Workers take no more jobs from it, until it is resumed. Nothing is lost: the work is in the database, and sweeps ' +
    'still do some of it, more slowly.',
  access: 'operator',
  limit: 'other',
  params: queueParams,
  responses,
  errors: ['SERVICE_UNAVAILABLE'],
  async handle({ context, params: { queue } }) {
    await withQueue(context, queue, (queues) => queues.pause(queue));
    return { status: 200, body: { is_paused: true } };
  },
});

export const deleteQueuePause = keylessEndpoint({
  method: 'DELETE',
  path: '/admin/v1/queues/{queue}/pause',
  tag: 'Queues',
  summary: 'Resume a paused queue',
  access: 'operator',
  limit: 'other',
  params: queueParams,
  responses,
  errors: ['SERVICE_UNAVAILABLE'],
  async handle({ context, params: { queue } }) {
    await withQueue(context, queue, (queues) => queues.resume(queue));
    return { status: 200, body: { is_paused: false } };
  },
});
