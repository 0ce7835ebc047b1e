import { callerlessEndpoint } from '../../http/endpoint.ts';
import { idParams } from '../../http/fields.ts';
import { answerSpendLimit, findScope, LimitedRecord, spendLimitBody } from '../answerSpendLimit.ts';

export const putSpendLimit = callerlessEndpoint({
  method: 'PUT',
  path: '/admin/v1/organizations/{id}/spend-limit',
  tag: 'Organizations',
  summary: 'Limit what an organization may spend in a month',
  access: 'operator',
  limit: 'other',
  params: idParams('org', 'id'),
  body: spendLimitBody,
  responses: { 200: { description: 'The limit is set', schema: LimitedRecord } },
  handle: async ({ context, params, body }) =>
    answerSpendLimit(context, await findScope(context, params.id, null), body.amount),
});
