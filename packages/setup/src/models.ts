import type { Database } from '@holdfast/db/client';
import { applyModels } from '@holdfast/db/models';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import { isOffered, loadModels } from '@holdfast/providers/catalogue/loadModels';
import { connectionConfig } from '@holdfast/providers/connectionConfig';

export type AppliedModels = {
  known: number;
  /** Those meant to be, whose connection is configured. */
  offered: number;
  /** Slugs that were offered until now and have no file any more. */
  withdrawn: string[];
};

/**
 * Makes the files of `modelsDir` the catalogue; `environment` names the providers' connections that models are offered
 * from. @throws the mistakes in the files, and when there is none: that is a folder in the wrong place rather than the
 * wish to withdraw everything
 */
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
