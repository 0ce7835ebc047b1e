import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';

/**
 * Makes `models` the catalogue: new ones are added, known ones replaced, and what is not among them is withdrawn. It
 * is no longer offered nor meant to be (`active` of its definition), but stays in the table, where executions under way
 * find its definition. Of those that are meant to be offered, `isOffered` says which can be. Answers the slugs that were
 * offered until now.
 */
export async function applyModels(
  db: Database,
  models: ModelDefinition[],
  isOffered: (model: ModelDefinition) => boolean = ({ active }) => active,
): Promise<string[]> {
  const withdrawn = await runStatement<{ slug: string; wasOffered: boolean }>(
    db.pool,
    'apply_models',
    statement,
    [models.map(({ slug }) => slug), models.map(stored), models.map(isOffered)],
  );
  return withdrawn.filter(({ wasOffered }) => wasOffered).map(({ slug }) => slug);
}

/** With its first provider as the only one, as services of the version before read it: they run until they are replaced. */
function stored(model: ModelDefinition): string {
  return JSON.stringify({ ...model, provider: model.providers[0] });
}

const statement = `
WITH applied AS (
  INSERT INTO models (slug, definition, is_active)
  SELECT * FROM unnest($1::text[], $2::jsonb[], $3::boolean[])
  ON CONFLICT (slug) DO UPDATE SET definition = excluded.definition, is_active = excluded.is_active, updated_at = now()
  WHERE (models.definition, models.is_active) IS DISTINCT FROM (excluded.definition, excluded.is_active)
),
gone AS (
  SELECT slug, is_active FROM models
  WHERE slug <> ALL ($1::text[]) AND (is_active OR definition -> 'active' IS DISTINCT FROM 'false') ORDER BY slug FOR UPDATE
)
UPDATE models m SET is_active = false, definition = jsonb_set(m.definition, '{active}', 'false'), updated_at = now()
FROM gone WHERE m.slug = gone.slug RETURNING m.slug, gone.is_active AS "wasOffered"`;
