import { z } from 'zod';
import { endpoint } from '../../http/endpoint.ts';
import { notFound } from '../../http/fields.ts';
import { ModelRecord, modelRecord } from './modelRecord.ts';

export const getModel = endpoint({
  method: 'GET',
  path: '/v1/models/{slug}',
  tag: 'Models',
  summary: 'Read a model',
  permission: 'full',
  limit: 'other',
  params: z.object({ slug: z.string() }),
  responses: { 200: { description: 'The model', schema: ModelRecord } },
  async handle({ context, params }) {
    const model = await context.models.get(params.slug);
    if (!model?.isActive) throw notFound('model');
    return { status: 200, body: modelRecord(model.definition) };
  },
});
