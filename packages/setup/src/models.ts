import type { Database } from '@holdfast/db/client';
import { type AppliedFiles, applyModels } from '@holdfast/db/models';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import { isOffered, loadModels } from '@holdfast/providers/catalogue/loadModels';
import { connectionConfig } from '@holdfast/providers/connectionConfig';

export type AppliedModels = {
  known: number;
  offered: number;
} & AppliedFiles;

/** @throws for invalid files, and for none: a wrong path is likelier than the wish to withdraw every model */
export async function applyCatalogue(
  db: Database,
  modelsDir: string,
  environment: NodeJS.ProcessEnv,
): Promise<AppliedModels> {
  const { models, texts } = await loadModels(modelsDir);
  if (models.length === 0) throw new Error(`there is no model in ${modelsDir}`);
  const connections = connectionConfig(environment);
  const isReachable = (model: ModelDefinition) => isOffered(model, connections);
  const applied = await applyModels(db, models, isReachable, { texts });
  return { known: models.length, offered: models.filter(isReachable).length, ...applied };
}

/** What an operator has to decide; null: nothing. */
export function conflictText({ conflicts }: AppliedFiles): string | null {
  if (conflicts.length === 0) return null;
  return `the console has other versions of ${conflicts.join(', ')}, which stay: holdfast models apply --dry-run shows what to do`;
}
