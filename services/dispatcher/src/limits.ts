import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import type { Connection } from '@holdfast/providers/connection';
import type { Limits } from '@holdfast/queues/admission';

/** Whose limits a run counts against. */
export type Counted = { organizationId: string; model: string; connection: string };

/** How much may go on at once, and begin in a minute. `own`: of organizations that have a limit of their own. */
export type LimitsOf = {
  organization(id: string, own: ReadonlyMap<string, number>): Limits;
  model(slug: string, definition: ModelDefinition | null): Limits;
  connection(name: string): Limits;
  /** The names under which a run is counted. */
  names(run: Counted, definition: ModelDefinition | null, own: ReadonlyMap<string, number>): string[];
  /** Whether there is a limit at all. */
  areSet(definitions: ModelDefinition[], own: ReadonlyMap<string, number>): boolean;
};

/** `usual`: of organizations without a limit of their own (null: none). */
export function createLimits(args: {
  connections: Record<string, Connection>;
  usual: number | null;
}): LimitsOf {
  const limits: Pick<LimitsOf, 'organization' | 'model' | 'connection'> = {
    organization(id, own) {
      const most = own.get(id) ?? args.usual;
      return limitsUnder(`organization:${id}`, most ?? undefined, undefined);
    },
    model(slug, definition) {
      const { concurrency, per_minute } = definition?.limits ?? {};
      return limitsUnder(`model:${slug}`, concurrency, per_minute);
    },
    connection(name) {
      const { MAX_CONCURRENCY, MAX_PER_MINUTE } = args.connections[name]?.settings ?? {};
      return limitsUnder(`connection:${name}`, count(MAX_CONCURRENCY), count(MAX_PER_MINUTE));
    },
  };
  return {
    ...limits,
    areSet: (definitions, own) =>
      args.usual !== null ||
      own.size > 0 ||
      Object.keys(args.connections).some((name) => !areNone(limits.connection(name))) ||
      definitions.some((definition) => !areNone(limits.model(definition.slug, definition))),
    names: (run, definition, own) =>
      [
        limits.organization(run.organizationId, own),
        limits.model(run.model, definition),
        limits.connection(run.connection),
      ].flatMap(({ scopes }) => scopes.map(({ name }) => name)),
  };
}

/** Settings of connections that are no limits, a line each. */
export function limitProblems(connections: Record<string, Connection>): string[] {
  return Object.entries(connections).flatMap(([name, { settings }]) =>
    ['MAX_CONCURRENCY', 'MAX_PER_MINUTE']
      .filter((setting) => settings[setting] !== undefined && count(settings[setting]) === undefined)
      .map((setting) => `${name.toUpperCase()}_${setting}: must be a whole number above 0`),
  );
}

export function areNone({ scopes, rates }: Limits): boolean {
  return scopes.length === 0 && rates.length === 0;
}

export function together(...all: Limits[]): Limits {
  return { scopes: all.flatMap(({ scopes }) => scopes), rates: all.flatMap(({ rates }) => rates) };
}

function limitsUnder(name: string, most: number | undefined, perMinute: number | undefined): Limits {
  return {
    scopes: most === undefined ? [] : [{ name, most }],
    rates: perMinute === undefined ? [] : [{ name, perMinute }],
  };
}

function count(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}
