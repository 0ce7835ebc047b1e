import { keylessEndpoint } from '../../context/endpoint.ts';
import { modelParams, requireStoredModel, StoredModelRecord, storedModelRecord } from '../models.ts';

export const getStoredModel = keylessEndpoint({
  method: 'GET',
  path: '/admin/v1/models/{slug}',
  tag: 'Models',
  summary: 'Show a model with its YAML',
  access: 'operator',
  limit: 'other',
  params: modelParams,
  responses: { 200: { description: 'The model', schema: StoredModelRecord } },
  async handle({ context, params }) {
    return { status: 200, body: storedModelRecord(await requireStoredModel(context, params.slug)) };
  },
});
