import type { ModelCatalogue } from '@holdfast/db/models';
import type { ErrorDetail } from '@holdfast/domain/errors';

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
