import { callerlessEndpoint } from '../../http/endpoint.ts';
import { answerSpendLimit, findScope, LimitedRecord, limitedKeyParams } from '../answerSpendLimit.ts';

export const deleteKeySpendLimit = callerlessEndpoint({
  method: 'DELETE',
  path: '/admin/v1/organizations/{id}/api-keys/{key_id}/spend-limit',
  tag: 'API keys',
  summary: 'Take an API key’s spend limit away',
  access: 'operator',
  limit: 'other',
  params: limitedKeyParams,
  responses: { 200: { description: 'There is no limit', schema: LimitedRecord } },
  handle: async ({ context, params }) =>
    answerSpendLimit(context, await findScope(context, params.id, params.key_id), null),
});
