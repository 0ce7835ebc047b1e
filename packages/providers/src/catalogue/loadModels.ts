import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import type { Connection } from '../connection.ts';
import { isConfigured } from '../connectionConfig.ts';
import { parseModel } from './parseModel.ts';

/**
 * Every model of a folder (`*.yaml`, `*.yml`), by slug. Throws one error that lists the problems of all files,
 * `file:line: where: what` each.
 */
export async function loadModels(folder: string): Promise<ModelDefinition[]> {
  const files = (await readdir(folder)).filter((file) => /\.ya?ml$/.test(file)).toSorted();
  const definitions = new Map<string, { definition: ModelDefinition; file: string }>();
  const problems: string[] = [];
  for (const file of files) {
    const parsed = parseModel(file, await readFile(join(folder, file), 'utf8'));
    problems.push(...parsed.problems);
    if (parsed.definition === null) continue;
    const { slug } = parsed.definition;
    const twin = definitions.get(slug);
    if (twin) problems.push(`${file}: slug: ${slug} is taken by ${twin.file}`);
    definitions.set(slug, { definition: parsed.definition, file });
  }
  if (problems.length > 0)
    throw new Error(`models are not right:\n${problems.map((one) => `  ${one}`).join('\n')}`);
  return [...definitions.values()].map(({ definition }) => definition);
}

/** Whether a model can be offered: it is meant to be, and one of its providers is configured. */
export function isOffered(definition: ModelDefinition, connections: Record<string, Connection>): boolean {
  return definition.active && definition.providers.some((route) => isConfigured(route, connections));
}
