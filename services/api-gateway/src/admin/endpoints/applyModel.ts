import { z } from 'zod';
import { keylessEndpoint } from '../../context/endpoint.ts';
import {
  applyText,
  modelParams,
  modelVersion,
  requireStoredModel,
  StoredModelRecord,
  storedModelRecord,
  yamlField,
} from '../models.ts';

const path = '/admin/v1/models/{slug}';
const seen = 'The version that the change was made of';

export const putModel = keylessEndpoint({
  method: 'PUT',
  path,
  tag: 'Models',
  summary: 'Apply a model',
  description:
    'Checks the YAML and keeps it in the database, for all services within 5 seconds. From then on, the console decides about ' +
    'the model: a file of the same slug that says something else is reported as a conflict and ignored. Sent twice, it is applied once.',
  access: 'operator',
  limit: 'other',
  params: modelParams,
  body: z
    .strictObject({
      yaml: yamlField,
      version: modelVersion.nullable().describe(`${seen}; null: there is no such model yet`),
    })
    .meta({ id: 'ModelText' }),
  responses: { 200: { description: 'The model', schema: StoredModelRecord } },
  errors: ['MODEL_CHANGED', 'SERVICE_UNAVAILABLE'],
  async handle({ context, params, body }) {
    const model = await applyText(context, params.slug, { ...body, active: null });
    return { status: 200, body: storedModelRecord(model) };
  },
});

export const patchModel = keylessEndpoint({
  method: 'PATCH',
  path,
  tag: 'Models',
  summary: 'Disable or restore a model',
  description:
    'Applies its YAML with another `active`. A disabled model takes no new executions; those in progress continue. The ' +
    'console decides about the model from then on, also if a file did.',
  access: 'operator',
  limit: 'other',
  params: modelParams,
  body: z
    .strictObject({ active: z.boolean(), version: modelVersion.describe(seen) })
    .meta({ id: 'ModelSwitch' }),
  responses: { 200: { description: 'The model', schema: StoredModelRecord } },
  errors: ['MODEL_CHANGED', 'SERVICE_UNAVAILABLE'],
  async handle({ context, params, body }) {
    const { yaml } = await requireStoredModel(context, params.slug);
    return { status: 200, body: storedModelRecord(await applyText(context, params.slug, { ...body, yaml })) };
  },
});
