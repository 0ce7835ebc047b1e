import { listReviews as readReviews, reviewStates } from '@holdfast/db/executions/reviews';
import { z } from 'zod';
import { keylessEndpoint } from '../../context/endpoint.ts';
import { idFilter } from '../../http/fields.ts';
import { checkedCursor, pageBy, pageFields, pageQuery } from '../../http/paging.ts';
import { ReviewRecord, reviewRecord } from '../reviewRecord.ts';

export const listReviews = keylessEndpoint({
  method: 'GET',
  path: '/admin/v1/reviews',
  tag: 'Reviews',
  summary: 'List the costs that wait for a decision',
  description:
    'Executions that reported more than ten times their hold: they were charged the hold, and an operator accepts the rest ' +
    'or writes it off. The newest execution first.',
  access: 'operator',
  limit: 'other',
  query: pageQuery({ limit: 20, maxLimit: 100 }).extend({
    state: z.enum(reviewStates).optional().describe('Only reviews in this state'),
    organization_id: idFilter('org', 'Only reviews of this organization').optional(),
  }),
  responses: {
    200: {
      description: 'A page of reviews',
      schema: z.object({ data: z.array(ReviewRecord), ...pageFields }).meta({ id: 'ReviewPage' }),
    },
  },
  async handle({ context, query: { state, organization_id: organizationId, cursor, limit } }) {
    const filter = { state, organizationId, cursor: checkedCursor('exec', cursor) };
    const rows = await readReviews(context.db, filter, limit + 1);
    const { items, page } = pageBy(rows, limit, ({ executionId }) => executionId);
    return { status: 200, body: { data: items.map(reviewRecord), ...page } };
  },
});
