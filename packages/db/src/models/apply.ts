import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';

/** Writes models into the catalogue: new ones are added, known ones replaced, others left as they are. */
export async function applyModels(db: Database, models: ModelDefinition[]): Promise<void> {
  await runStatement(db.pool, 'apply_models', statement, [
    models.map(({ slug }) => slug),
    models.map((model) => JSON.stringify(model)),
    models.map(({ active }) => active),
  ]);
}

const statement = `
INSERT INTO models (slug, definition, is_active)
SELECT * FROM unnest($1::text[], $2::jsonb[], $3::boolean[])
ON CONFLICT (slug) DO UPDATE SET definition = excluded.definition, is_active = excluded.is_active, updated_at = now()
WHERE (models.definition, models.is_active) IS DISTINCT FROM (excluded.definition, excluded.is_active)`;
