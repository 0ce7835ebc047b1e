import { type CatalogueModel, type OfferedModel, openModelCatalogue } from '@holdfast/db/models';
import { UsageError } from '@holdfast/kit/flags';
import { isOffered, type ModelFolder, readModels } from '@holdfast/providers/catalogue/loadModels';
import { connectionConfig } from '@holdfast/providers/connectionConfig';
import type { Context } from '../command.ts';

/** Null when the files in `folder` have problems, which are printed. @throws UsageError for an unknown slug */
export async function findModel(
  slug: string,
  folder: string | undefined,
  context: Context,
): Promise<CatalogueModel | OfferedModel | null> {
  const models: (CatalogueModel | OfferedModel)[] | null =
    folder === undefined ? await applied(context) : await modelsOf(folder, context);
  if (models === null) return null;
  const found = models.find(({ definition }) => definition.slug === slug);
  if (found) return found;
  const where = folder === undefined ? 'in the catalogue, which holdfast models list prints' : `in ${folder}`;
  throw new UsageError(`there is no model "${slug}" ${where}`);
}

const applied = async (context: Context) => openModelCatalogue(await context.openDatabase()).list();

async function modelsOf(folder: string, context: Context): Promise<OfferedModel[] | null> {
  const found = await readFolder(folder, context);
  const connections = connectionConfig(context.providerEnvironment());
  return (
    found?.models.map((definition) => ({ definition, isActive: isOffered(definition, connections) })) ?? null
  );
}

/** Null when a model has problems, printed as `folder/file:line: where: what`; warnings go to stderr. @throws for a missing or empty folder */
export async function readFolder(
  folder: string,
  { print, report }: Pick<Context, 'print' | 'report'>,
): Promise<Pick<ModelFolder, 'models' | 'texts'> | null> {
  const { models, texts, files, problems, warnings } = await readModels(folder);
  if (files === 0) throw new Error(`there is no model in ${folder}`);
  const at = folder.replace(/\/+$/, '');
  for (const problem of problems) print(`${at}/${problem}`);
  for (const warning of warnings) report(`warning: ${at}/${warning}`);
  if (problems.length === 0) return { models, texts };
  report(`${problems.length} ${problems.length === 1 ? 'problem' : 'problems'} in ${files} files.`);
  return null;
}
