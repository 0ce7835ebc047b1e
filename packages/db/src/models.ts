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
    [models.map(({ slug }) => slug), models.map((model) => JSON.stringify(model)), models.map(isOffered)],
  );
  return withdrawn.filter(({ wasOffered }) => wasOffered).map(({ slug }) => slug);
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

/**
 * The versions that an attempt's model had when the execution was created and when it was started. Null: the model was not
 * known then.
 */
export type ModelVersions = { created: string | null; started: string | null };

/** Reads the versions of an attempt `a` and its execution `e`. */
export const versionsSql = `json_build_object('created', e.model_version, 'started', a.model_version) AS versions`;

export type OfferedModel = {
  /** The same object while unchanged, so that results derived from it can be cached. */
  definition: ModelDefinition;
  isActive: boolean;
};

/** `version`: the id of the definition. */
export type CatalogueModel = OfferedModel & { version: string };

export type ModelCatalogue = {
  get(slug: string): Promise<CatalogueModel | null>;
  /** As `get`, but reads the table before it gives up: another process may have added the model. */
  find(slug: string): Promise<CatalogueModel | null>;
  list(): Promise<CatalogueModel[]>;
  /** A definition that a model has or had; null when it is unknown, or was replaced long ago. */
  version(id: string): Promise<ModelDefinition | null>;
};

type Row = { slug: string; text: string; isActive: boolean; version: string };
type Known = CatalogueModel & { text: string };

const believedMs = 5000;
const maxOldVersions = 1000;

/** The table's models, read at most every 5 s. */
export function openModelCatalogue(db: Database): ModelCatalogue {
  let known = new Map<string, Known>();
  const versions = new Map<string, ModelDefinition>();
  let reading: Promise<Map<string, Known>> | null = null;
  let readAt = Number.NEGATIVE_INFINITY;

  async function read(): Promise<Map<string, Known>> {
    const rows = await runStatement<Row>(db.pool, 'list_models', openModelCatalogueSql, []);
    known = new Map(rows.map((row) => [row.slug, renewed(row, known.get(row.slug))]));
    for (const { version, definition } of known.values()) keep(version, definition);
    readAt = performance.now();
    return known;
  }

  /** A version never changes, so it is read once. */
  function keep(id: string, definition: ModelDefinition): void {
    versions.delete(id);
    versions.set(id, definition);
    if (versions.size > known.size + maxOldVersions) versions.delete(versions.keys().next().value ?? '');
  }

  async function readVersion(id: string): Promise<ModelDefinition | null> {
    const [row] = await runStatement<{ text: string }>(db.pool, 'read_model_version', versionSql, [id]);
    if (!row) return null;
    const definition = parseJson(row.text) as ModelDefinition;
    keep(id, definition);
    return definition;
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
    version: async (id) => versions.get(id) ?? (await readVersion(id)),
  };
}

function renewed({ text, isActive, version }: Row, before: Known | undefined): Known {
  const definition = before?.text === text ? before.definition : (parseJson(text) as ModelDefinition);
  return { definition, isActive, text, version };
}

const openModelCatalogueSql = `SELECT slug, definition::text AS text, is_active AS "isActive",
  model_version(definition) AS version FROM models ORDER BY slug`;

const versionSql = 'SELECT definition::text AS text FROM model_versions WHERE id = $1';
