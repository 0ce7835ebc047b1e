import { callerlessEndpoint } from '../../http/endpoint.ts';
import { idParams } from '../../http/fields.ts';
import { answerSpendLimit, findScope, LimitedRecord } from '../answerSpendLimit.ts';

export const deleteSpendLimit = callerlessEndpoint({
  method: 'DELETE',
  path: '/admin/v1/organizations/{id}/spend-limit',
  tag: 'Organizations',
  summary: 'Take an organization’s spend limit away',
  access: 'operator',
  limit: 'other',
  params: idParams('org', 'id'),
  responses: { 200: { description: 'There is no limit', schema: LimitedRecord } },
  handle: async ({ context, params }) =>
    answerSpendLimit(context, await findScope(context, params.id, null), null),
});
