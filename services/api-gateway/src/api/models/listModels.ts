import { z } from 'zod';
import { mayUseModel } from '../../access/models.ts';
import { endpoint } from '../../context/endpoint.ts';
import { ModelRecord, modelRecord } from './modelRecord.ts';

export const listModels = endpoint({
  method: 'GET',
  path: '/v1/models',
  operationId: 'listModels',
  tag: 'Models',
  summary: 'List models',
  description: 'All active models that the key may use, ordered by slug, without pages.',
  scope: 'any',
  limit: 'other',
  responses: {
    200: {
      description: 'All active models that the key may use, ordered by slug',
      schema: z.object({ data: z.array(ModelRecord) }).meta({ id: 'ModelList' }),
    },
  },
  async handle({ context, caller }) {
    const models = await context.models.list();
    const offered = models.filter((model) => model.isActive && mayUseModel(caller, model.definition));
    return { status: 200, body: { data: offered.map(({ definition }) => modelRecord(definition)) } };
  },
});
