import type { Database } from '@holdfast/db/client';
import { applyModels } from '@holdfast/db/models';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import { isOffered, loadModels } from '@holdfast/providers/catalogue/loadModels';
import { connectionConfig } from '@holdfast/providers/connectionConfig';

export type AppliedModels = {
  known: number;
  offered: number;
  withdrawn: string[];
};

/** @throws for invalid files, and for none: a wrong path is likelier than the wish to withdraw every model */
export async function applyCatalogue(
  db: Database,
  modelsDir: string,
  environment: NodeJS.ProcessEnv,
): Promise<AppliedModels> {
  const models = await loadModels(modelsDir);
  if (models.length === 0) throw new Error(`there is no model in ${modelsDir}`);
  const connections = connectionConfig(environment);
  const isReachable = (model: ModelDefinition) => isOffered(model, connections);
  const withdrawn = await applyModels(db, models, isReachable);
  return { known: models.length, offered: models.filter(isReachable).length, withdrawn };
}
