import type { CatalogueModel } from '@holdfast/db/models';
import { ApiError } from '@holdfast/domain/errors';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import type { OpenaiOperation } from '@holdfast/domain/modelOpenai';
import { z } from 'zod';
import type { Caller } from '../../access/identity.ts';
import type { Context } from '../../context/context.ts';
import { endpoint } from '../../context/endpoint.ts';
import { findNamed, namesOf, usableModels } from '../modelNames.ts';
import { requireOperation, routesOf } from './mapping.ts';

/** Holdfast keeps no such time: clients show it at most. */
const created = 1_700_000_000;

/** `endpoints`, beside OpenAI's fields: the paths that the model serves. */
function modelObject(id: string, definition: ModelDefinition) {
  return { id, object: 'model', created, owned_by: 'holdfast', endpoints: routesOf(definition) };
}

/** By slug or alias. @throws ApiError for a model that does not serve the operation */
export async function requireNamed(
  context: Context,
  caller: Caller,
  name: string,
  operation: OpenaiOperation,
): Promise<CatalogueModel> {
  const model = await requireModel(context, caller, name);
  requireOperation(model.definition, operation);
  return model;
}

/** @throws ApiError NOT_FOUND, also for a model that the key may not use */
async function requireModel(context: Context, caller: Caller, name: string): Promise<CatalogueModel> {
  const model = await findNamed(context, caller, name);
  if (model) return model;
  const message = `The model \`${name}\` does not exist or you do not have access to it. GET /v1/openai/models lists those that you may use.`;
  throw new ApiError('NOT_FOUND', message, {
    details: [{ field: 'model', code: 'model_not_found', message }],
  });
}

export const listOpenaiModels = endpoint({
  method: 'GET',
  path: '/v1/openai/models',
  operationId: 'listOpenaiModels',
  tag: 'OpenAI',
  summary: 'List models',
  scope: 'any',
  limit: 'other',
  responses: { 200: { description: 'The models', schema: null } },
  async handle({ context, caller }) {
    const usable = await usableModels(context, caller);
    const data = usable.flatMap(({ definition }) =>
      namesOf(definition).map((name) => modelObject(name, definition)),
    );
    return { status: 200, body: { object: 'list', data, has_more: false } };
  },
});

export const getOpenaiModel = endpoint({
  method: 'GET',
  path: '/v1/openai/models/{id}',
  operationId: 'getOpenaiModel',
  tag: 'OpenAI',
  summary: 'Read a model',
  scope: 'any',
  limit: 'other',
  params: z.object({ id: z.string() }),
  responses: { 200: { description: 'The model', schema: null } },
  async handle({ context, caller, params }) {
    const { definition } = await requireModel(context, caller, params.id);
    return { status: 200, body: modelObject(params.id, definition) };
  },
});
