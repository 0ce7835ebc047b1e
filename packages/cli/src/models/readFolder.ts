import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import { readModels } from '@holdfast/providers/catalogue/loadModels';
import type { Context } from '../command.ts';

/**
 * The models of a folder; null when something is wrong with any of them, all of which is then said: a line each,
 * `folder/file:line: where: what`. @throws when there is no model, or no such folder
 */
export async function readFolder(
  folder: string,
  { say, tell }: Pick<Context, 'say' | 'tell'>,
): Promise<ModelDefinition[] | null> {
  const { models, files, problems } = await readModels(folder);
  if (files === 0) throw new Error(`there is no model in ${folder}`);
  for (const problem of problems) say(`${folder.replace(/\/+$/, '')}/${problem}`);
  if (problems.length === 0) return models;
  tell(`${problems.length} ${problems.length === 1 ? 'problem' : 'problems'} in ${files} files.`);
  return null;
}
