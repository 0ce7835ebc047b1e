import type { ModelCatalogue } from '@holdfast/db/models';
import { ApiError, type ErrorDetail } from '@holdfast/domain/errors';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import { isSandbox } from '@holdfast/domain/modelRoute';
import type { Context } from '../context.ts';
import type { Caller } from '../http/endpoint.ts';

type Bounds = Pick<Caller, 'models' | 'isTest'>;

export function mayUseModel(caller: Bounds, definition: ModelDefinition): boolean {
  return mayReadModel(caller, definition.slug) && (!caller.isTest || runsInSandbox(definition));
}

/** Of what there is beside the key's models it learns nothing. @throws ApiError FORBIDDEN */
export async function requireModel({ models }: Pick<Context, 'models'>, caller: Bounds, slug: string) {
  if (!mayReadModel(caller, slug)) throw mayNotUse(caller);
  const model = caller.isTest ? await models.get(slug) : null;
  if (!model || runsInSandbox(model.definition)) return;
  const offered = (await models.list()).filter((one) => one.isActive && mayUseModel(caller, one.definition));
  const slugs = listed(offered.map(({ definition }) => definition.slug));
  throw new ApiError(
    'FORBIDDEN',
    `A test key runs models of the sandbox alone: ${slugs || 'none is on offer'}.`,
  );
}

/** Whether a caller may know of executions of this model, be it withdrawn. */
export function mayReadModel({ models }: Pick<Bounds, 'models'>, slug: string): boolean {
  return models.length === 0 || models.includes(slug);
}

/** The models that a list is bound to; undefined: to none. */
export function boundModels({ models }: Pick<Bounds, 'models'>): string[] | undefined {
  return models.length > 0 ? models : undefined;
}

/**
 * The models whose events an endpoint is sent that this caller makes or changes: as asked, and where that says all, all
 * that the key may use. @throws ApiError FORBIDDEN
 */
export function modelsWithin(caller: Pick<Bounds, 'models'>, asked: readonly string[]): string[] {
  if (!asked.every((slug) => mayReadModel(caller, slug))) throw mayNotUse(caller);
  return [...new Set(asked.length > 0 ? asked : caller.models)];
}

function mayNotUse({ models }: Pick<Bounds, 'models'>): ApiError {
  return new ApiError('FORBIDDEN', `This API key may not use this model; it may use ${listed(models)}.`);
}

/** Whichever of its providers takes it. */
function runsInSandbox({ providers }: ModelDefinition): boolean {
  return providers.every(isSandbox);
}

const listed = (slugs: readonly string[]) => slugs.map((slug) => `\`${slug}\``).join(', ');

/** What is wrong with the models that a client names: those that there are not. One that was withdrawn is known. */
export async function unknownModels(
  models: ModelCatalogue,
  slugs: readonly string[],
): Promise<ErrorDetail[]> {
  const [first] = await missing(models, slugs);
  if (!first) return [];
  // Another process may have made it just now.
  await models.find(first.slug);
  return (await missing(models, slugs)).map(({ slug, field }) => ({
    field,
    code: 'NOT_FOUND',
    message: `There is no model ${slug}.`,
  }));
}

async function missing(models: ModelCatalogue, slugs: readonly string[]) {
  const known = new Set((await models.list()).map(({ definition }) => definition.slug));
  return slugs
    .map((slug, index) => ({ slug, field: `models.${index}` }))
    .filter(({ slug }) => !known.has(slug));
}
