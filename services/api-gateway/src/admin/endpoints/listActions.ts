import { type ListedAdminAction, listAdminActions } from '@holdfast/db/adminActions';
import { z } from 'zod';
import { keylessEndpoint } from '../../context/endpoint.ts';
import { idField, idFilter, jsonObject, timeFilter, timestamp, toDate } from '../../http/fields.ts';
import { checkedCursor, pageFields, pageOf, pageQuery } from '../../http/paging.ts';

const ActionRecord = z
  .object({
    id: idField('act'),
    at: timestamp('When the action started'),
    actor: z.string().describe('The name of the admin token'),
    address: z.string(),
    request_id: idField('req'),
    action: z.string().meta({ example: 'POST /admin/v1/organizations/{id}/top-ups' }),
    organization_id: idField('org').nullable(),
    target: z
      .string()
      .nullable()
      .describe('The id of the changed object, when it is not the organization itself'),
    status: z
      .int()
      .nullable()
      .describe('The response status; null: the action is still running or was interrupted'),
    details: jsonObject('The request body without secrets', { amount: '25.00' }),
  })
  .meta({ id: 'AdminAction' });

export const listActions = keylessEndpoint({
  method: 'GET',
  path: '/admin/v1/actions',
  tag: 'Actions',
  summary: 'List admin actions',
  description:
    'Every request to this API except `GET`, including refused ones, and every `holdfast` command that changes something without this API. Newest first.',
  access: 'operator',
  limit: 'other',
  query: pageQuery({ limit: 20, maxLimit: 100 }).extend({
    organization_id: idFilter('org', 'Only actions on this organization').optional(),
    action: z.string().max(200).optional().describe('Only actions that contain this text'),
    actor: z.string().max(100).optional().describe('Only actions with the token of this name'),
    from: timeFilter('Only actions that started at or after this time'),
    to: timeFilter('Only actions that started before this time'),
  }),
  responses: {
    200: {
      description: 'A page of actions',
      schema: z.object({ data: z.array(ActionRecord), ...pageFields }).meta({ id: 'AdminActionPage' }),
    },
  },
  async handle({ context, query }) {
    const filter = {
      organizationId: query.organization_id,
      action: query.action,
      actor: query.actor,
      from: toDate(query.from),
      to: toDate(query.to),
      cursor: checkedCursor('act', query.cursor),
    };
    const { items, page } = pageOf(await listAdminActions(context.db, filter, query.limit + 1), query.limit);
    return { status: 200, body: { data: items.map(actionRecord), ...page } };
  },
});

function actionRecord(row: ListedAdminAction): z.infer<typeof ActionRecord> {
  return {
    id: row.id,
    at: row.at.toISOString(),
    actor: row.actor,
    address: row.address,
    request_id: row.requestId,
    action: row.action,
    organization_id: row.organizationId,
    target: row.target,
    status: row.status,
    details: row.details as Record<string, unknown>,
  };
}
