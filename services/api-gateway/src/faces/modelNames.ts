import type { CatalogueModel } from '@holdfast/db/models';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import type { Caller } from '../access/identity.ts';
import { mayUseModel } from '../access/models.ts';
import type { Context } from '../context/context.ts';

export const namesOf = ({ slug, aliases = [] }: ModelDefinition) => [slug, ...aliases];

export async function usableModels({ models }: Context, caller: Caller): Promise<CatalogueModel[]> {
  return (await models.list()).filter(
    ({ isActive, definition }) => isActive && mayUseModel(caller, definition),
  );
}

/** By slug or alias; null also for a model that the key may not use. */
export async function findNamed(
  context: Context,
  caller: Caller,
  name: string,
): Promise<CatalogueModel | null> {
  const usable = await usableModels(context, caller);
  return (
    usable.find(({ definition }) => definition.slug === name) ??
    usable.find(({ definition }) => definition.aliases?.includes(name)) ??
    null
  );
}
