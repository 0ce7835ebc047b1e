import { callerlessEndpoint } from '../../http/endpoint.ts';
import {
  answerSpendLimit,
  findScope,
  LimitedRecord,
  limitedKeyParams,
  spendLimitBody,
} from '../answerSpendLimit.ts';

export const putKeySpendLimit = callerlessEndpoint({
  method: 'PUT',
  path: '/admin/v1/organizations/{id}/api-keys/{key_id}/spend-limit',
  tag: 'API keys',
  summary: 'Limit what an API key may spend in a month',
  access: 'operator',
  limit: 'other',
  params: limitedKeyParams,
  body: spendLimitBody,
  responses: { 200: { description: 'The limit is set', schema: LimitedRecord } },
  handle: async ({ context, params, body }) =>
    answerSpendLimit(context, await findScope(context, params.id, params.key_id), body.amount),
});
