import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';

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
    const rows = await runStatement<Row>(db.pool, 'list_models', statement, []);
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

const statement = `SELECT slug, (definition - 'provider')::text AS text, is_active AS "isActive" FROM models ORDER BY slug`;
