import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';

/**
 * Makes `models` the catalogue: new ones are added, known ones replaced, and what is not among them is withdrawn. It
 * is no longer offered, but stays in the table, where executions under way find its definition. Answers the slugs
 * that were withdrawn now.
 */
export async function applyModels(db: Database, models: ModelDefinition[]): Promise<string[]> {
  const withdrawn = await runStatement<{ slug: string }>(db.pool, 'apply_models', statement, [
    models.map(({ slug }) => slug),
    models.map((model) => JSON.stringify(model)),
    models.map(({ active }) => active),
  ]);
  return withdrawn.map(({ slug }) => slug);
}

const statement = `
WITH applied AS (
  INSERT INTO models (slug, definition, is_active)
  SELECT * FROM unnest($1::text[], $2::jsonb[], $3::boolean[])
  ON CONFLICT (slug) DO UPDATE SET definition = excluded.definition, is_active = excluded.is_active, updated_at = now()
  WHERE (models.definition, models.is_active) IS DISTINCT FROM (excluded.definition, excluded.is_active)
)
UPDATE models SET is_active = false, updated_at = now() WHERE is_active AND slug <> ALL ($1::text[]) RETURNING slug`;
