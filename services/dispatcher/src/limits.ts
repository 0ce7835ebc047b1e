import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import type { Connection } from '@holdfast/providers/connection';
import type { Limits } from '@holdfast/queues/admission';

/** Whose limits a run counts against. */
export type Counted = { organizationId: string; model: string; connection: string };

/** How much may go on at once, and begin in a minute. */
export type LimitsOf = {
  organization(id: string): Limits;
  model(slug: string, definition: ModelDefinition | null): Limits;
  connection(name: string): Limits;
  /** The names under which a run is counted. */
  names(run: Counted, definition: ModelDefinition | null): string[];
  /** Whether there is a limit at all. */
  areSet(definitions: ModelDefinition[]): boolean;
};

/**
 * The limits as they are now. `own`: of organizations that have one of their own; `usual`: of all others (null: none).
 */
export function openLimits(args: {
  connections: Record<string, Connection>;
  own(): Promise<ReadonlyMap<string, number>>;
  usual: number | null;
}): () => Promise<LimitsOf> {
  const byConnection = new Map(
    Object.entries(args.connections).map(([name, { settings }]) => [
      name,
      limitsUnder(`connection:${name}`, count(settings.MAX_CONCURRENCY), count(settings.MAX_PER_MINUTE)),
    ]),
  );
  const connection = (name: string) => byConnection.get(name) ?? none;
  const model = (slug: string, definition: ModelDefinition | null) =>
    limitsUnder(`model:${slug}`, definition?.limits.concurrency, definition?.limits.per_minute);

  return async () => {
    const own = await args.own();
    const organization = (id: string) =>
      limitsUnder(`organization:${id}`, own.get(id) ?? args.usual ?? undefined, undefined);
    return {
      organization,
      model,
      connection,
      names: (run, definition) =>
        together(
          organization(run.organizationId),
          model(run.model, definition),
          connection(run.connection),
        ).scopes.map(({ name }) => name),
      areSet: (definitions) =>
        args.usual !== null ||
        own.size > 0 ||
        [...byConnection.values()].some((limits) => !areNone(limits)) ||
        definitions.some((definition) => !areNone(model(definition.slug, definition))),
    };
  };
}

const none: Limits = { scopes: [], rates: [] };

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
