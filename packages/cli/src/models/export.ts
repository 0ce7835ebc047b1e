import { readModel } from '@holdfast/db/models';
import { readArguments, UsageError } from '@holdfast/kit/flags';
import type { Context } from '../command.ts';

export async function modelsExport(args: string[], context: Context): Promise<number> {
  const [slug, ...rest] = readArguments(args, {}).positionals;
  if (slug === undefined || rest.length > 0) throw new UsageError('holdfast models export takes one slug');
  const model = await readModel(await context.openDatabase(), slug);
  if (model === null) throw new UsageError(`there is no model "${slug}": holdfast models list prints all`);
  context.print(model.yaml.trimEnd());
  return 0;
}
