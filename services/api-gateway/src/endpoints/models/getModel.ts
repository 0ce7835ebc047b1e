import { z } from 'zod';
import { requireModel } from '../../apiKeys/modelAccess.ts';
import { endpoint } from '../../http/endpoint.ts';
import { notFound } from '../../http/fields.ts';
import { ModelRecord, modelRecord } from './modelRecord.ts';

export const getModel = endpoint({
  method: 'GET',
  path: '/v1/models/{slug}',
  tag: 'Models',
  summary: 'Read a model',
  scope: 'any',
  limit: 'other',
  params: z.object({ slug: z.string() }),
  responses: { 200: { description: 'The model', schema: ModelRecord } },
  async handle({ context, caller, params }) {
    await requireModel(context, caller, params.slug);
    const model = await context.models.get(params.slug);
    if (!model?.isActive) throw notFound('model');
    return { status: 200, body: modelRecord(model.definition) };
  },
});
