import { timeFromNow } from '@holdfast/db/statement';
import { ApiError } from '@holdfast/domain/errors';
import { z } from 'zod';
import { endpoint } from '../../context/endpoint.ts';
import { findExecution } from '../../executions/readable.ts';
import { idField, idParams, timestamp } from '../../http/fields.ts';

const defaultTtlS = 900;

const TokenRequest = z
  .strictObject({
    ttl_seconds: z
      .int()
      .min(60)
      .max(3600)
      .default(defaultTtlS)
      .meta({ description: 'Seconds until the token expires', example: defaultTtlS }),
  })
  .meta({ id: 'ExecutionTokenRequest' });

const Token = z
  .object({
    token: z.string().meta({
      description: 'Send it as `Authorization: Bearer <token>`',
      example: 'ext_WyJleGVjXzAxOTgxZTljIiwia2V5XzAxOTgxZTljIl0.5257a869e7ecebeda32affa62cdca3fa51cad7e77a0',
    }),
    execution_id: idField('exec', 'The execution that the token can read'),
    expires_at: timestamp('When the token expires'),
  })
  .meta({ id: 'ExecutionToken' });

export const postToken = endpoint({
  method: 'POST',
  path: '/v1/executions/{id}/token',
  operationId: 'createExecutionToken',
  tag: 'Executions',
  summary: 'Create a read token for one execution',
  description:
    'For a web page: the token reads the status, events, result and result files of this execution, from any origin, and ' +
    'nothing else. `metadata` and `webhook_url` are null for it; amounts are not hidden. It cannot do more than the API key ' +
    'that created it, and ends with that key, at `expires_at`, or when the execution is erased.',
  scope: 'executions:read',
  limit: 'other',
  params: idParams('exec', 'id'),
  body: TokenRequest,
  responses: { 201: { description: 'The token', schema: Token } },
  errors: ['EXECUTION_ERASED'],
  async handle({ context, caller, params, body }) {
    const { id, erasedAt } = await findExecution(context, caller, params.id);
    if (erasedAt) throw new ApiError('EXECUTION_ERASED', 'The execution was erased.');
    const { apiKeyId, organizationId } = caller;
    const expiresAt = await timeFromNow(context.db, body.ttl_seconds * 1000);
    const token = context.tokens.sign({ executionId: id, apiKeyId, expiresAtMs: expiresAt.getTime() });
    context.log.info({ executionId: id, apiKeyId, organizationId, expiresAt }, 'execution token created');
    const reply: z.infer<typeof Token> = { token, execution_id: id, expires_at: expiresAt.toISOString() };
    return { status: 201, body: reply };
  },
});
