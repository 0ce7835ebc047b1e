import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import type { Database } from './client.ts';
import { runStatement } from './statement.ts';

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
    applyModelsSql,
    [models.map(({ slug }) => slug), models.map(stored), models.map(isOffered)],
  );
  return withdrawn.filter(({ wasOffered }) => wasOffered).map(({ slug }) => slug);
}

/** With its first provider as the only one, as services of the version before read it: they run until they are replaced. */
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
  /** The same object for as long as the definition is the same, so that what is made from it can be kept. */
  definition: ModelDefinition;
  /** Offered to clients; what was accepted before still runs. */
  isActive: boolean;
};

export type ModelCatalogue = {
  get(slug: string): Promise<CatalogueModel | null>;
  /** As `get`, but a model is looked for in the table before it is unknown: another process may know it already. */
  find(slug: string): Promise<CatalogueModel | null>;
  /** All of them, by slug. */
  list(): Promise<CatalogueModel[]>;
};

type Row = { slug: string; text: string; isActive: boolean };
type Known = CatalogueModel & { text: string };

const believedMs = 5000;

/** The models of the table, read at most every 5 s. */
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
  const definition = before?.text === text ? before.definition : (JSON.parse(text) as ModelDefinition);
  return { definition, isActive, text };
}

const openModelCatalogueSql = `SELECT slug, (definition - 'provider')::text AS text, is_active AS "isActive" FROM models ORDER BY slug`;
