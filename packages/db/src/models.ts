import { parseJson } from '@holdfast/domain/json';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import type { Database } from './client.ts';
import { runStatement } from './statement.ts';

/**
 * Adds, replaces, and withdraws the others, whose definitions stay for running executions. `isOffered` decides about
 * models with `active: true`. Returns the slugs that were offered before.
 */
export async function applyModels(
  db: Database,
  models: ModelDefinition[],
  isOffered: (model: ModelDefinition) => boolean = ({ active }) => active,
): Promise<string[]> {
  const withdrawn = await runStatement<{ slug: string; wasOffered: boolean }>(
    db.pool,
    'apply_models',
    applyModelsSql,
    [models.map(({ slug }) => slug), models.map(stored), models.map(isOffered)],
  );
  return withdrawn.filter(({ wasOffered }) => wasOffered).map(({ slug }) => slug);
}

/** Also as the previous version reads it: with its first provider as the only one. */
function stored(model: ModelDefinition): string {
  return JSON.stringify({ ...model, provider: model.providers[0] });
}

const applyModelsSql = `
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

export type CatalogueModel = {
  /** The same object while unchanged, so that results derived from it can be cached. */
  definition: ModelDefinition;
  isActive: boolean;
};

export type ModelCatalogue = {
  get(slug: string): Promise<CatalogueModel | null>;
  /** As `get`, but reads the table before it gives up: another process may have added the model. */
  find(slug: string): Promise<CatalogueModel | null>;
  list(): Promise<CatalogueModel[]>;
};

type Row = { slug: string; text: string; isActive: boolean };
type Known = CatalogueModel & { text: string };

const believedMs = 5000;

/** The table's models, read at most every 5 s. */
export function openModelCatalogue(db: Database): ModelCatalogue {
  let known = new Map<string, Known>();
  let reading: Promise<Map<string, Known>> | null = null;
  let readAt = Number.NEGATIVE_INFINITY;

  async function read(): Promise<Map<string, Known>> {
    const rows = await runStatement<Row>(db.pool, 'list_models', openModelCatalogueSql, []);
    known = new Map(rows.map((row) => [row.slug, renewed(row, known.get(row.slug))]));
    readAt = performance.now();
    return known;
  }

  async function current(): Promise<Map<string, Known>> {
    if (performance.now() - readAt < believedMs) return known;
    reading ??= read().finally(() => {
      reading = null;
    });
    return await reading;
  }

  return {
    get: async (slug) => (await current()).get(slug) ?? null,
    find: async (slug) => (await current()).get(slug) ?? (await read()).get(slug) ?? null,
    list: async () => [...(await current()).values()],
  };
}

function renewed({ text, isActive }: Row, before: Known | undefined): Known {
  const definition = before?.text === text ? before.definition : (parseJson(text) as ModelDefinition);
  return { definition, isActive, text };
}

const openModelCatalogueSql = `SELECT slug, (definition - 'provider')::text AS text, is_active AS "isActive" FROM models ORDER BY slug`;
