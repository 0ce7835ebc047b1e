import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import type { Connection } from '../connection.ts';
import { isConfigured } from '../connectionConfig.ts';
import { parseModel } from './parseModel.ts';

export type ModelFolder = {
  models: ModelDefinition[];
  /** The text of each model, by slug. */
  texts: Map<string, string>;
  files: number;
  problems: string[];
  warnings: string[];
};

/** Every model of a folder, and all problems and warnings as `file:line: where: what`. @throws when the folder cannot be read */
export async function readModels(folder: string): Promise<ModelFolder> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    throw new Error(`the folder of models ${folder} can't be read (${error.code})`, { cause: error });
  });
  const files = names.filter((file) => /\.ya?ml$/.test(file)).toSorted();
  const models: ModelDefinition[] = [];
  const texts = new Map<string, string>();
  const owners = new Map<string, string>();
  const problems: string[] = [];
  const warnings: string[] = [];
  for (const file of files) {
    const text = await readFile(join(folder, file), 'utf8');
    const parsed = parseModel(file, text);
    const { definition, slug } = parsed;
    problems.push(...parsed.problems);
    warnings.push(...parsed.warnings);
    const owner = slug === null ? undefined : owners.get(slug);
    if (owner !== undefined) problems.push(`${file}: slug: ${slug} is taken by ${owner}`);
    else if (slug !== null) owners.set(slug, file);
    if (definition === null) continue;
    models.push(definition);
    texts.set(definition.slug, text);
  }
  return { models, texts, files: files.length, problems, warnings };
}

/** @throws one error that lists the problems of all files */
export async function loadModels(folder: string): Promise<Pick<ModelFolder, 'models' | 'texts'>> {
  const { models, texts, problems } = await readModels(folder);
  if (problems.length === 0) return { models, texts };
  throw new Error(`invalid models:\n${problems.map((one) => `  ${one}`).join('\n')}`);
}

export function isOffered(definition: ModelDefinition, connections: Record<string, Connection>): boolean {
  return definition.active && definition.providers.some((route) => isConfigured(route, connections));
}
