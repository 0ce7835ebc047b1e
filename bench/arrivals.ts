import { type Arrival, type Receiver, type ServerKind, startReceiver } from './receiver.ts';

/** Arrivals at a receiver by id; only the first of each id counts. */
export type Arrivals = {
  add(arrivals: readonly Arrival[]): void;
  /** The first arrival of each id, in order of `ids`. Rejects with the missing ids when none of them comes for a minute. */
  of(ids: readonly string[]): Promise<Arrival[]>;
  missing(ids: readonly string[]): string[];
  /** Ids that came more than once, with the number of further arrivals. */
  repeated(): ReadonlyMap<string, number>;
};

/** Those not yet arrived of one call of `of`. */
type Wait = { missing: Set<string>; resolve(): void };

const minuteMs = 60_000;
const namedIds = 5;

/** `idOf` returns null for arrivals that do not count. */
export function openArrivals(
  idOf: (arrival: Arrival) => string | null,
  stalledAfterMs: number = minuteMs,
): Arrivals {
  const first = new Map<string, Arrival>();
  const repeated = new Map<string, number>();
  const waits = new Set<Wait>();

  function addOne(arrival: Arrival): void {
    const id = idOf(arrival);
    if (id === null) return;
    if (first.has(id)) {
      repeated.set(id, (repeated.get(id) ?? 0) + 1);
      return;
    }
    first.set(id, arrival);
    for (const { missing, resolve } of waits) {
      if (missing.delete(id) && missing.size === 0) resolve();
    }
  }

  const missing = (ids: readonly string[]) => ids.filter((id) => !first.has(id));

  async function until(ids: readonly string[]): Promise<void> {
    const wait = { missing: new Set(missing(ids)), ...Promise.withResolvers<void>() };
    if (wait.missing.size === 0) return;
    let before = wait.missing.size;
    const watch = setInterval(() => {
      if (wait.missing.size === before) wait.reject(new Error(stalledMessage([...wait.missing])));
      before = wait.missing.size;
    }, stalledAfterMs);
    waits.add(wait);
    try {
      await wait.promise;
    } finally {
      waits.delete(wait);
      clearInterval(watch);
    }
  }

  return {
    add: (arrivals) => arrivals.forEach(addOne),
    async of(ids) {
      await until(ids);
      return ids.map((id) => first.get(id) as Arrival);
    },
    missing,
    repeated: () => repeated,
  };
}

function stalledMessage(ids: string[]): string {
  const more = ids.length > namedIds ? ` and ${ids.length - namedIds} more` : '';
  return `${ids.length} webhooks are missing, and none of them arrived for a minute: ${ids.slice(0, namedIds).join(', ')}${more}`;
}

export type CountingReceiver = Receiver & Omit<Arrivals, 'add'>;

/** A receiver that records arrivals by id. */
export async function startCountingReceiver(
  server: ServerKind,
  idOf: (arrival: Arrival) => string | null,
): Promise<CountingReceiver> {
  const { add, ...arrivals } = openArrivals(idOf);
  return { ...(await startReceiver(server, add)), ...arrivals };
}
