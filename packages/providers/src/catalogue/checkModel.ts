import type { Connection } from '../connection.ts';
import { missingSettings } from '../connectionConfig.ts';
import { isOffered } from './loadModels.ts';
import { readModelText, withActive } from './parseModel.ts';

/**
 * Checks a model's YAML, with another `active` if given, for those who know neither adapters nor connections. `definition`: as
 * JSON; null: there are problems. `missing`: the settings without which no provider can run it.
 */
export function checkModel(
  connections: Record<string, Connection>,
  { yaml, active }: { yaml: string; active: boolean | null },
) {
  const text = active === null ? yaml : withActive(yaml, active);
  const { definition, ...found } = readModelText(text);
  return {
    ...found,
    yaml: text,
    definition: definition && JSON.stringify(definition),
    isOffered: definition !== null && isOffered(definition, connections),
    missing: definition && missingSettings(definition.providers, connections),
  };
}
