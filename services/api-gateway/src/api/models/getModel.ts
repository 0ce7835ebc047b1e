import { z } from 'zod';
import { requireModel } from '../../access/models.ts';
import { endpoint } from '../../context/endpoint.ts';
import { notFound } from '../../http/fields.ts';
import { ModelRecord, modelRecord } from './modelRecord.ts';

export const getModel = endpoint({
  method: 'GET',
  path: '/v1/models/{slug}',
  operationId: 'getModel',
  tag: 'Models',
  summary: 'Read a model',
  description: 'Returns the JSON Schema of its input and its prices. 404 for a model that is not active.',
  scope: 'any',
  limit: 'other',
  params: z.object({ slug: z.string().meta({ description: 'Model slug', example: 'sandbox-image' }) }),
  responses: { 200: { description: 'The model', schema: ModelRecord } },
  async handle({ context, caller, params }) {
    await requireModel(context, caller, params.slug);
    const model = await context.models.get(params.slug);
    if (!model?.isActive) throw notFound('model');
    return { status: 200, body: modelRecord(model.definition) };
  },
});
