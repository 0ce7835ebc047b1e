import { hash } from 'node:crypto';
import type { CatalogueModel } from '@holdfast/db/models';
import { ApiError } from '@holdfast/domain/errors';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import type { Caller } from '../../access/identity.ts';
import type { Context } from '../../context/context.ts';
import { usableModels } from '../modelNames.ts';

export type ModelName = { owner: string; name: string };

type Named = Pick<ModelDefinition, 'slug' | 'aliases'>;

/** The owner of models without a name of the form `owner/name`. */
const defaultOwner = 'holdfast';

const shape = /^([^/:]+)\/([^/:]+)(?::([^/:]+))?$/;

type Alias = ModelName & { version: string | null };

/** The names that a model has at Replicate: its aliases of the form `owner/name` or `owner/name:version`, and one of its own. */
function namesOf({ slug, aliases = [] }: Named): [Alias, ...Alias[]] {
  const own = { owner: defaultOwner, name: slug, version: null };
  const found = [...aliases.flatMap(parsed), own];
  return [found[0] ?? own, ...found.slice(1)];
}

function parsed(alias: string): Alias[] {
  const [, owner, name, version = null] = shape.exec(alias) ?? [];
  return owner === undefined || name === undefined ? [] : [{ owner, name, version }];
}

export function nameOf(definition: Named): ModelName {
  const [{ owner, name }] = namesOf(definition);
  return { owner, name };
}

/** The ids of its versions, the newest first: a model has one, and the operator decides what it is. */
export function versionsOf(definition: Named): [string, ...string[]] {
  const named = namesOf(definition).flatMap(({ version }) => (version === null ? [] : [version]));
  const own = hash('sha256', definition.slug);
  return [named[0] ?? own, ...named.slice(1)];
}

/** @throws ApiError NOT_FOUND, also for a model that the key may not use */
export async function requireNamed(
  context: Context,
  caller: Caller,
  { owner, name }: ModelName,
): Promise<CatalogueModel> {
  const isMeant = (one: ModelName) => one.owner === owner && one.name === name;
  return requireModel(await usableModels(context, caller), (definition) => namesOf(definition).some(isMeant));
}

/** `version`: its id alone, or with the name of its model, or that name alone. @throws ApiError NOT_FOUND */
export async function requireVersion(
  context: Context,
  caller: Caller,
  version: string,
): Promise<CatalogueModel> {
  const [wanted] = parsed(version);
  const isMeant = (definition: ModelDefinition) =>
    wanted === undefined
      ? definition.slug === version || versionsOf(definition).includes(version)
      : namesOf(definition).some(({ owner, name }) => owner === wanted.owner && name === wanted.name) &&
        (wanted.version === null || versionsOf(definition).includes(wanted.version));
  return requireModel(await usableModels(context, caller), isMeant);
}

function requireModel(
  models: readonly CatalogueModel[],
  isMeant: (definition: ModelDefinition) => boolean,
): CatalogueModel {
  const model = models.find(({ definition }) => isMeant(definition));
  if (model !== undefined) return model;
  throw new ApiError(
    'NOT_FOUND',
    'The requested model could not be found. GET /models lists those that you may use.',
  );
}
