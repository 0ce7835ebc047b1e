import type { ModelCatalogue } from '@holdfast/db/models';
import { ApiError, type ErrorDetail } from '@holdfast/domain/errors';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import { isSandbox } from '@holdfast/domain/modelRoute';
import type { Caller } from './identity.ts';

type Bounds = Pick<Caller, 'models' | 'isTest'>;

export function mayUseModel(caller: Bounds, definition: ModelDefinition): boolean {
  return mayReadModel(caller, definition.slug) && (!caller.isTest || runsInSandbox(definition));
}

/** The error does not reveal models outside the key's bounds. @throws ApiError FORBIDDEN */
export async function requireModel({ models }: { models: ModelCatalogue }, caller: Bounds, slug: string) {
  if (!mayReadModel(caller, slug)) throw mayNotUse(caller);
  const model = caller.isTest ? await models.get(slug) : null;
  if (!model || runsInSandbox(model.definition)) return;
  const offered = (await models.list()).filter((one) => one.isActive && mayUseModel(caller, one.definition));
  const slugs = listed(offered.map(({ definition }) => definition.slug));
  throw new ApiError(
    'FORBIDDEN',
    `A test key can only run sandbox models: ${slugs || 'none are available'}.`,
  );
}

/** Whether a caller may read executions of this model, which may have been withdrawn. */
export function mayReadModel({ models }: Pick<Bounds, 'models'>, slug: string): boolean {
  return models.length === 0 || models.includes(slug);
}

/** The models that a list is limited to; undefined: no limit. */
export function boundModels({ models }: Pick<Bounds, 'models'>): string[] | undefined {
  return models.length > 0 ? models : undefined;
}

/** The models of an endpoint that this caller creates or changes: as requested, or all of the key's. @throws ApiError FORBIDDEN */
export function modelsWithin(caller: Pick<Bounds, 'models'>, requested: readonly string[]): string[] {
  if (!requested.every((slug) => mayReadModel(caller, slug))) throw mayNotUse(caller);
  return [...new Set(requested.length > 0 ? requested : caller.models)];
}

function mayNotUse({ models }: Pick<Bounds, 'models'>): ApiError {
  return new ApiError('FORBIDDEN', `This API key may not use this model. It may use ${listed(models)}.`);
}

function runsInSandbox({ providers }: ModelDefinition): boolean {
  return providers.every(isSandbox);
}

const listed = (slugs: readonly string[]) => slugs.map((slug) => `\`${slug}\``).join(', ');

/** A problem for each slug that is not a model; withdrawn models count as known. */
export async function unknownModels(
  models: ModelCatalogue,
  slugs: readonly string[],
): Promise<ErrorDetail[]> {
  const [first] = await missing(models, slugs);
  if (!first) return [];
  // Another process may have created it just now.
  await models.find(first.slug);
  return (await missing(models, slugs)).map(({ slug, field }) => ({
    field,
    code: 'NOT_FOUND',
    message: `The model ${slug} does not exist.`,
  }));
}

async function missing(models: ModelCatalogue, slugs: readonly string[]) {
  const known = new Set((await models.list()).map(({ definition }) => definition.slug));
  return slugs
    .map((slug, index) => ({ slug, field: `models.${index}` }))
    .filter(({ slug }) => !known.has(slug));
}
