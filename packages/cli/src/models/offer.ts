import type { CatalogueModel } from '@holdfast/db/models';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import type { Connection } from '@holdfast/providers/connection';
import { missingSetting } from '@holdfast/providers/connectionConfig';

/** Why a model is not offered; null: it is. */
export function whyNotOffered(
  { definition, isActive }: CatalogueModel,
  connections: Record<string, Connection>,
): string | null {
  if (isActive) return null;
  if (!definition.active) return 'withdrawn, or active: false';
  return missingSettings(definition, connections) ?? 'could not be when it was applied: apply again';
}

/** What to set, so that one of its providers can be reached; null: one can. */
export function missingSettings(
  { providers }: Pick<ModelDefinition, 'providers'>,
  connections: Record<string, Connection>,
): string | null {
  const missing = providers.map((route) => missingSetting(route, connections));
  if (missing.includes(null)) return null;
  return `${[...new Set(missing)].join(' or ')} is not set`;
}
