import { ApiError } from '@holdfast/domain/errors';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import type { Context } from '../context.ts';

/**
 * The model to be run; null when it is not on offer. @throws ApiError MODEL_UNAVAILABLE for one that is, but of whose
 * providers none is configured
 */
export async function findModel({ models }: Context, slug: string): Promise<ModelDefinition | null> {
  const model = await models.get(slug);
  if (model?.isActive) return model.definition;
  if (model?.definition.active) {
    throw new ApiError('MODEL_UNAVAILABLE', 'The model is not available at present.');
  }
  return null;
}
