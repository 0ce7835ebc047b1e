import { z } from 'zod';
import { endpoint } from '../../http/endpoint.ts';
import { ModelRecord, modelRecord } from './modelRecord.ts';

export const listModels = endpoint({
  method: 'GET',
  path: '/v1/models',
  tag: 'Models',
  summary: 'List models',
  permission: 'full',
  limit: 'other',
  responses: {
    200: {
      description: 'Every model on offer, by slug',
      schema: z.object({ data: z.array(ModelRecord) }).meta({ id: 'ModelList' }),
    },
  },
  async handle({ context }) {
    const offered = (await context.models.list()).filter(({ isActive }) => isActive);
    return { status: 200, body: { data: offered.map(({ definition }) => modelRecord(definition)) } };
  },
});
