import { type CatalogueModel, openModelCatalogue } from '@holdfast/db/models';
import { isOffered } from '@holdfast/providers/catalogue/loadModels';
import { connectionConfig } from '@holdfast/providers/connectionConfig';
import type { Context } from '../command.ts';
import { UsageError } from '../usageError.ts';
import { readFolder } from './readFolder.ts';

/**
 * A model as it was applied, or with a folder as its file says; null when that folder's files are not right, which is
 * then said. @throws UsageError when there is none of this slug
 */
export async function findModel(
  slug: string,
  folder: string | undefined,
  context: Context,
): Promise<CatalogueModel | null> {
  const models = folder === undefined ? await applied(context) : await written(folder, context);
  if (models === null) return null;
  const found = models.find(({ definition }) => definition.slug === slug);
  if (found) return found;
  const where = folder === undefined ? 'in the catalogue: holdfast models list shows it' : `in ${folder}`;
  throw new UsageError(`there is no model "${slug}" ${where}`);
}

const applied = async (context: Context) => openModelCatalogue(await context.openDatabase()).list();

async function written(folder: string, context: Context): Promise<CatalogueModel[] | null> {
  const models = await readFolder(folder, context);
  const connections = connectionConfig(context.providerEnvironment());
  return models?.map((definition) => ({ definition, isActive: isOffered(definition, connections) })) ?? null;
}
