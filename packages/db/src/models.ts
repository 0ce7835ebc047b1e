import { parseJson } from '@holdfast/domain/json';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import type { Database } from './client.ts';
import { runStatement } from './statement.ts';

export const modelSources = ['file', 'console'] as const;
export type ModelSource = (typeof modelSources)[number];

type IsOffered = (model: ModelDefinition) => boolean;

/** Slugs. */
export type AppliedFiles = {
  /** Were offered, and have no file any more. */
  withdrawn: string[];
  /** Unchanged, because the console has another definition. */
  conflicts: string[];
};

/**
 * Applies the models of files: adds, replaces, and withdraws the others, whose definitions stay for running executions.
 * Models of the console stay as they are, unless the file says the same, and then owns them again, or `replacesConsole`.
 * `isOffered` decides about models with `active: true`, also those of the console. `texts`: the files by slug.
 */
export async function applyModels(
  db: Database,
  models: ModelDefinition[],
  isOffered: IsOffered = ({ active }) => active,
  {
    texts = new Map(),
    replacesConsole = false,
  }: { texts?: ReadonlyMap<string, string>; replacesConsole?: boolean } = {},
): Promise<AppliedFiles> {
  const rows = await runStatement<{ slug: string; isWithdrawn: boolean }>(
    db.pool,
    'apply_models',
    applyModelsSql,
    [
      models.map(({ slug }) => slug),
      models.map((model) => JSON.stringify(model)),
      models.map(isOffered),
      models.map(({ slug }) => texts.get(slug) ?? null),
      replacesConsole,
    ],
  );
  await offerConsoleModels(db, isOffered);
  const slugs = (isWithdrawn: boolean) =>
    rows.filter((row) => row.isWithdrawn === isWithdrawn).map(({ slug }) => slug);
  return { withdrawn: slugs(true), conflicts: slugs(false) };
}

const applyModelsSql = `
WITH given AS (
  SELECT * FROM unnest($1::text[], $2::jsonb[], $3::boolean[], $4::text[]) AS given (slug, definition, is_active, yaml)
),
applied AS (
  INSERT INTO models (slug, definition, is_active, yaml) SELECT * FROM given
  ON CONFLICT (slug) DO UPDATE SET definition = excluded.definition, is_active = excluded.is_active, yaml = excluded.yaml,
    source = 'file', updated_at = now()
  WHERE (models.source = 'file' OR models.definition = excluded.definition OR $5::boolean)
    AND (models.definition, models.is_active, models.yaml, models.source)
      IS DISTINCT FROM (excluded.definition, excluded.is_active, excluded.yaml, 'file')
),
gone AS (
  SELECT slug, is_active FROM models WHERE slug <> ALL ($1::text[]) AND source = 'file'
    AND (is_active OR definition -> 'active' IS DISTINCT FROM 'false') ORDER BY slug FOR UPDATE
),
withdrawn AS (
  UPDATE models m SET is_active = false, definition = jsonb_set(m.definition, '{active}', 'false'), updated_at = now()
  FROM gone WHERE m.slug = gone.slug RETURNING m.slug, gone.is_active AS was_offered
)
SELECT slug, true AS "isWithdrawn" FROM withdrawn WHERE was_offered
UNION ALL
SELECT m.slug, false FROM models m JOIN given USING (slug)
WHERE m.source = 'console' AND m.definition <> given.definition AND NOT $5::boolean
ORDER BY slug`;

/** A model of the console that an operator has replaced meanwhile keeps what was decided about it then. */
async function offerConsoleModels(db: Database, isOffered: IsOffered): Promise<void> {
  const rows = await runStatement<{ version: string; text: string; isActive: boolean }>(
    db.pool,
    'list_console_models',
    `SELECT model_version(definition) AS version, definition::text AS text, is_active AS "isActive"
      FROM models WHERE source = 'console'`,
    [],
  );
  const wrong = rows.filter(
    ({ text, isActive }) => isOffered(parseJson(text) as ModelDefinition) !== isActive,
  );
  if (wrong.length === 0) return;
  await runStatement(
    db.pool,
    'offer_console_models',
    `UPDATE models SET is_active = NOT is_active, updated_at = now() FROM unnest($1::uuid[], $2::boolean[]) AS wrong (version, was)
      WHERE source = 'console' AND model_version(definition) = wrong.version AND is_active = wrong.was`,
    [wrong.map(({ version }) => version), wrong.map(({ isActive }) => isActive)],
  );
}

/** `definition`: as JSON. `version` names the definition that it replaces; null: the model is new. */
export type ConsoleModel = {
  slug: string;
  definition: string;
  yaml: string;
  isActive: boolean;
  version: string | null;
};

/** Keeps a model of the console; repeated, once. False: the model has another version than `version` by now. */
export async function saveConsoleModel(db: Database, model: ConsoleModel): Promise<boolean> {
  const rows = await runStatement(db.pool, 'save_console_model', saveConsoleModelSql, [
    model.slug,
    model.definition,
    model.isActive,
    model.yaml,
    model.version,
  ]);
  return rows.length > 0;
}

const saveConsoleModelSql = `
INSERT INTO models (slug, definition, is_active, source, yaml) VALUES ($1, $2::jsonb, $3, 'console', $4)
ON CONFLICT (slug) DO UPDATE SET definition = excluded.definition, is_active = excluded.is_active,
  source = excluded.source, yaml = excluded.yaml, updated_at = now()
WHERE model_version(models.definition) IN ($5::uuid, model_version(excluded.definition)) RETURNING slug`;

/** `yaml`: as it was written, or else the definition, whose JSON is YAML too. */
export type StoredModel = OfferedModel & {
  slug: string;
  version: string;
  source: ModelSource;
  yaml: string;
  updatedAt: Date;
};

export async function readModel(db: Database, slug: string): Promise<StoredModel | null> {
  const [row] = await runStatement<Omit<StoredModel, 'definition'> & { text: string }>(
    db.pool,
    'read_model',
    `SELECT slug, definition::text AS text, is_active AS "isActive", model_version(definition) AS version, source,
      coalesce(yaml, jsonb_pretty(definition)) AS yaml, updated_at AS "updatedAt" FROM models WHERE slug = $1`,
    [slug],
  );
  if (!row) return null;
  const { text, ...rest } = row;
  return { ...rest, definition: parseJson(text) as ModelDefinition };
}

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
export type CatalogueModel = OfferedModel & { version: string; source: ModelSource };

export type ModelCatalogue = {
  get(slug: string): Promise<CatalogueModel | null>;
  /** As `get`, but reads the table before it gives up: another process may have added the model. */
  find(slug: string): Promise<CatalogueModel | null>;
  list(): Promise<CatalogueModel[]>;
  /** The next read is of the table. */
  forget(): void;
  /** A definition that a model has or had; null when it is unknown, or was replaced long ago. */
  version(id: string): Promise<ModelDefinition | null>;
};

type Row = { slug: string; text: string; isActive: boolean; version: string; source: ModelSource };
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
    forget() {
      readAt = Number.NEGATIVE_INFINITY;
    },
    version: async (id) => versions.get(id) ?? (await readVersion(id)),
  };
}

function renewed({ text, isActive, version, source }: Row, before: Known | undefined): Known {
  const definition = before?.text === text ? before.definition : (parseJson(text) as ModelDefinition);
  return { definition, isActive, text, version, source };
}

const openModelCatalogueSql = `SELECT slug, definition::text AS text, is_active AS "isActive",
  model_version(definition) AS version, source FROM models ORDER BY slug`;

const versionSql = 'SELECT definition::text AS text FROM model_versions WHERE id = $1';
