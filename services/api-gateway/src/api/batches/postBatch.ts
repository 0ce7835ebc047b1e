import { batchRecord } from '@holdfast/domain/batch';
import { newId } from '@holdfast/domain/ids';
import { z } from 'zod';
import { requireModel } from '../../access/models.ts';
import { batchBody } from '../../batches/batchRequest.ts';
import { createOnce, findReplayed } from '../../batches/creation.ts';
import { Batch } from '../../batches/records.ts';
import { endpoint } from '../../context/endpoint.ts';
import { findModel, unknownModel, webhookProblems } from '../../executions/createRequest.ts';
import { linkTo } from '../../http/endpoint.ts';
import { idempotencyKeyHeader, readIdempotencyKey, requestHash } from '../../http/requestHeaders.ts';
import { invalidInput } from '../../http/validate.ts';

export const postBatch = endpoint({
  method: 'POST',
  path: '/v1/batches',
  operationId: 'createBatch',
  tag: 'Batches',
  summary: 'Create a batch',
  description:
    'It takes items until it is sealed, and then runs them when nothing else is to run. An item is held and charged like an execution, once it becomes one.',
  scope: 'executions:write',
  limit: 'create',
  headers: z.object({ 'Idempotency-Key': idempotencyKeyHeader }),
  body: batchBody,
  responses: {
    202: {
      description: 'The open batch',
      schema: Batch,
      headers: {
        'Idempotent-Replayed': {
          description: '`true` when the `Idempotency-Key` was already used: the body is the original batch',
          schema: { type: 'string', enum: ['true'] },
        },
      },
      links: { read: linkTo('getBatch', 'id', 'Its status, counts and cost') },
    },
  },
  errors: ['IDEMPOTENCY_KEY_REUSED', 'MODEL_UNAVAILABLE'],
  async handle({ context, caller, body, headers }) {
    if (body.model !== undefined) await requireModel(context, caller, body.model);
    const key = readIdempotencyKey(headers['idempotency-key'], context.config.REQUIRE_IDEMPOTENCY_KEY);
    const known =
      key === null ? null : await findReplayed(context, caller.organizationId, key, requestHash(body));
    if (known) return { status: 202, body: batchRecord(known), headers: { 'Idempotent-Replayed': 'true' } };
    const details = [
      ...(body.model !== undefined && !(await findModel(context, body.model))
        ? [await unknownModel(context, caller, body.model)]
        : []),
      ...webhookProblems(context, body.webhook_url),
    ];
    if (details.length > 0) throw invalidInput(details);
    const { batch, isNew } = await createOnce(context, {
      id: newId('bat'),
      organizationId: caller.organizationId,
      apiKeyId: caller.apiKeyId,
      model: body.model ?? null,
      defaults: body.defaults ?? null,
      metadata: body.metadata ?? null,
      webhookUrl: body.webhook_url ?? null,
      maxCost: body.max_cost ?? null,
      onInsufficientBalance: body.on_insufficient_balance,
      windowS: body.completion_window_s,
      events: body.events,
      reserve: body.reserve,
      idempotencyKey: key,
      requestHash: key === null ? null : requestHash(body),
    });
    return {
      status: 202,
      body: batchRecord(batch),
      ...(!isNew && { headers: { 'Idempotent-Replayed': 'true' } }),
    };
  },
});
