import { getEvent as readEvent } from '@holdfast/db/events';
import { endpoint } from '../../context/endpoint.ts';
import { requireReadable } from '../../executions/readable.ts';
import { idParams, notFound, requireId } from '../../http/fields.ts';
import { AnyEvent, eventRecord } from './eventRecord.ts';

export const getEvent = endpoint({
  method: 'GET',
  path: '/v1/events/{id}',
  operationId: 'getEvent',
  tag: 'Events',
  summary: 'Read an event',
  description:
    'The full event as a webhook delivers it. Above 256 KiB it has only ids and status, and `truncated: true`.',
  scope: 'webhooks',
  limit: 'other',
  params: idParams('evt', 'id'),
  responses: { 200: { description: 'The event', schema: AnyEvent } },
  async handle({ context, caller, params }) {
    const row = await readEvent(context.db, caller.organizationId, requireId('evt', params.id, 'event'));
    if (!row) throw notFound('event');
    await requireReadable(context, caller, row.executionId, 'event');
    return { status: 200, body: eventRecord(row) };
  },
});
