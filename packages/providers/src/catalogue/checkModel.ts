import type { Connection } from '../connection.ts';
import { missingSettings } from '../connectionConfig.ts';
import { isOffered } from './loadModels.ts';
import { readModelText, type TextProblem, withActive } from './parseModel.ts';

/** `definition`: as JSON; null: there are problems. `missing`: the settings without which no provider can run it. */
type CheckedModel = {
  slug: string | null;
  yaml: string;
  definition: string | null;
  problems: TextProblem[];
  warnings: TextProblem[];
  isOffered: boolean;
  missing: string | null;
};

/** Checks a model's YAML, with another `active` if given, for those who know neither adapters nor connections. */
export function checkModel(
  connections: Record<string, Connection>,
  { yaml, active }: { yaml: string; active: boolean | null },
): CheckedModel {
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
