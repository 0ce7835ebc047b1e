import type { Database } from '@holdfast/db/client';
import { concurrencyLimits } from '@holdfast/db/organizations';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import type { Connection } from '@holdfast/providers/connection';
import type { Limits } from '@holdfast/queues/admission';

export type CountedRun = { organizationId: string; model: string; connection: string };

export type LimitsOf = {
  organization(id: string): Limits;
  model(slug: string, definition: ModelDefinition | null): Limits;
  connection(name: string): Limits;
  names(run: CountedRun, definition: ModelDefinition | null): string[];
  hasAny(definitions: ModelDefinition[]): boolean;
};

/** Organizations without a limit of their own have `defaultLimit`. */
export function openLimits(args: {
  connections: Record<string, Connection>;
  ownLimits(): Promise<ReadonlyMap<string, number>>;
  defaultLimit: number | null;
}): () => Promise<LimitsOf> {
  const byConnection = new Map(
    Object.entries(args.connections).map(([name, { settings }]) => [
      name,
      toLimits(`connection:${name}`, count(settings.MAX_CONCURRENCY), count(settings.MAX_PER_MINUTE)),
    ]),
  );
  const connection = (name: string) => byConnection.get(name) ?? unlimited;
  const model = (slug: string, definition: ModelDefinition | null) =>
    toLimits(`model:${slug}`, definition?.limits.concurrency, definition?.limits.per_minute);

  return async () => {
    const ownLimits = await args.ownLimits();
    const organization = (id: string) =>
      toLimits(`organization:${id}`, ownLimits.get(id) ?? args.defaultLimit ?? undefined, undefined);
    return {
      organization,
      model,
      connection,
      names: (run, definition) =>
        combined(
          organization(run.organizationId),
          model(run.model, definition),
          connection(run.connection),
        ).scopes.map(({ name }) => name),
      hasAny: (definitions) =>
        args.defaultLimit !== null ||
        ownLimits.size > 0 ||
        [...byConnection.values()].some((limits) => !isUnlimited(limits)) ||
        definitions.some((definition) => !isUnlimited(model(definition.slug, definition))),
    };
  };
}

const unlimited: Limits = { scopes: [], rates: [] };
const maxAgeMs = 5000;

export function openOrganizationLimits(db: Database): () => Promise<ReadonlyMap<string, number>> {
  let reading: Promise<ReadonlyMap<string, number>> | null = null;
  let readAtMs = Number.NEGATIVE_INFINITY;
  return () => {
    if (reading === null || performance.now() - readAtMs > maxAgeMs) {
      readAtMs = performance.now();
      reading = concurrencyLimits(db);
      reading.catch(() => {
        readAtMs = Number.NEGATIVE_INFINITY;
      });
    }
    return reading;
  };
}

/** One line for each setting of a connection that is not a valid limit. */
export function limitProblems(connections: Record<string, Connection>): string[] {
  return Object.entries(connections).flatMap(([name, { settings }]) =>
    ['MAX_CONCURRENCY', 'MAX_PER_MINUTE']
      .filter((setting) => settings[setting] !== undefined && count(settings[setting]) === undefined)
      .map((setting) => `${name.toUpperCase()}_${setting}: must be a whole number above 0`),
  );
}

export function isUnlimited({ scopes, rates }: Limits): boolean {
  return scopes.length === 0 && rates.length === 0;
}

export function combined(...all: Limits[]): Limits {
  return { scopes: all.flatMap(({ scopes }) => scopes), rates: all.flatMap(({ rates }) => rates) };
}

function toLimits(name: string, most: number | undefined, perMinute: number | undefined): Limits {
  return {
    scopes: most === undefined ? [] : [{ name, most }],
    rates: perMinute === undefined ? [] : [{ name, perMinute }],
  };
}

function count(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}
