import type { CatalogueModel } from '@holdfast/db/models';
import { ApiError } from '@holdfast/domain/errors';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import type { Caller } from '../../access/identity.ts';
import type { Context } from '../../context/context.ts';
import { findNamed } from '../modelNames.ts';

/** Clients take only ids with an owner: models without such an alias have this one. */
const ownOwner = 'holdfast/';

/** By alias or slug. @throws ApiError NOT_FOUND, also for a model that the key may not use */
export async function requireApp(context: Context, caller: Caller, app: string): Promise<ModelDefinition> {
  const found: CatalogueModel | null =
    (await findNamed(context, caller, app)) ??
    (app.startsWith(ownOwner) ? await findNamed(context, caller, app.slice(ownOwner.length)) : null);
  if (found !== null) return found.definition;
  throw new ApiError('NOT_FOUND', `Application "${app}" not found. GET /v1/models lists your models.`);
}
