import { ApiError } from '@holdfast/domain/errors';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import { isSandbox } from '@holdfast/domain/modelRoute';
import type { Context } from '../context.ts';
import type { Caller } from '../http/endpoint.ts';

type Bounds = Pick<Caller, 'models' | 'isTest'>;

export function mayUseModel(caller: Bounds, definition: ModelDefinition): boolean {
  return isNamed(caller, definition.slug) && (!caller.isTest || runsInSandbox(definition));
}

/** Of what there is beside the key's models it learns nothing. @throws ApiError FORBIDDEN */
export async function requireModel({ models }: Pick<Context, 'models'>, caller: Bounds, slug: string) {
  if (!isNamed(caller, slug)) {
    throw new ApiError(
      'FORBIDDEN',
      `This API key may not use this model; it may use ${listed(caller.models)}.`,
    );
  }
  const model = caller.isTest ? await models.get(slug) : null;
  if (!model || runsInSandbox(model.definition)) return;
  const offered = (await models.list()).filter((one) => one.isActive && mayUseModel(caller, one.definition));
  const slugs = listed(offered.map(({ definition }) => definition.slug));
  throw new ApiError(
    'FORBIDDEN',
    `A test key runs models of the sandbox alone: ${slugs || 'none is on offer'}.`,
  );
}

function isNamed({ models }: Bounds, slug: string): boolean {
  return models.length === 0 || models.includes(slug);
}

/** Whichever of its providers takes it. */
function runsInSandbox({ providers }: ModelDefinition): boolean {
  return providers.every(isSandbox);
}

const listed = (slugs: readonly string[]) => slugs.map((slug) => `\`${slug}\``).join(', ');
