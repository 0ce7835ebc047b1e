import { openStatuses } from '@holdfast/domain/statuses';
import { type GaugeReader, gauge, type Registry } from '@holdfast/kit/metrics';
import type { Database } from './client.ts';
import { quotedList } from './executions/read.ts';
import { runStatement } from './statement.ts';

export type OpenHolds = { count: number; oldestS: number };

/**
 * How many executions have not ended, each with its hold (no more than `atMost` are counted), and how long ago the one that
 * expires first was created: that one is found without a look at all the others.
 */
export async function readOpenHolds(db: Database, atMost: number): Promise<OpenHolds> {
  const [row] = await runStatement<OpenHolds>(db.pool, 'read_open_holds', statement, [atMost]);
  return row ?? { count: 0, oldestS: 0 };
}

const open = `FROM executions WHERE status IN (${quotedList(openStatuses)})`;

const statement = `SELECT (SELECT count(*) FROM (SELECT 1 ${open} LIMIT $1) found)::float8 AS count,
  coalesce(greatest(0, extract(epoch FROM now() - (SELECT created_at ${open} ORDER BY expires_at LIMIT 1))), 0)::float8
    AS "oldestS"`;

/** What waits in the database for somebody to do it; the ages are of the oldest, in seconds, null when there is none. */
export type Backlog = Record<BacklogKind, { count: number; oldestS: number | null }>;

export type BacklogKind = keyof typeof kinds;

/** Each by the index that its sweep uses; `since` is from when it has waited. */
const kinds = {
  /** Executions that nobody has started. */
  pending: { from: 'executions', since: 'created_at', when: `status = 'PENDING'` },
  /** Further tries whose time has come. */
  waiting_tries: {
    from: 'attempts',
    since: 'poll_at',
    when: `finished_at IS NULL AND state = 'waiting' AND poll_at <= now()`,
  },
  /** Tries that wait because their providers are busy. */
  busy: {
    from: 'attempts',
    since: 'busy_since',
    when: `finished_at IS NULL AND state = 'waiting' AND busy_refusals > 0`,
  },
  /** Runs at providers: since when the oldest runs. */
  running: { from: 'attempts', since: 'created_at', when: `finished_at IS NULL AND state = 'running'` },
  /** Runs whose dispatcher has gone, that nobody has taken over. */
  abandoned: {
    from: 'attempts',
    since: 'lease_until',
    when: `finished_at IS NULL AND state = 'starting' AND lease_until < now()`,
  },
  /** Callbacks that nobody has read. */
  callbacks: { from: 'provider_callbacks', since: 'received_at', when: 'processed_at IS NULL' },
  /** Outcomes that the ledger has not acted on. */
  unsettled: {
    from: 'attempts',
    since: 'finished_at',
    when: `outcome IS NOT NULL AND settled_at IS NULL AND state <> 'refused'`,
  },
  /** Executions that should have expired. */
  overdue: {
    from: 'executions',
    since: 'expires_at',
    when: `status IN ('PENDING', 'PROCESSING', 'AWAITING_WEBHOOK') AND expires_at <= now()`,
  },
  /** Events whose receivers nobody has looked up. */
  events: { from: 'events', since: 'created_at', when: 'fanned_out_at IS NULL' },
  /** Deliveries whose time has come, those of inactive and failing endpoints too. */
  deliveries: {
    from: 'deliveries',
    since: 'next_attempt_at',
    when: `state = 'pending' AND next_attempt_at <= now() AND (lease_until IS NULL OR lease_until <= now())`,
  },
} as const;

/** For the operator: it counts what waits, be it millions. */
export async function readBacklog(db: Database): Promise<Backlog> {
  return await readBacklogOf(db, Object.keys(kinds) as BacklogKind[]);
}

/**
 * Of some kinds, for a service reads its own tables alone. With `atMost` no more are looked at: what is read every few
 * seconds must not become slow when millions wait.
 */
export async function readBacklogOf<Kind extends BacklogKind>(
  db: Database,
  wanted: readonly Kind[],
  atMost: number | null = null,
): Promise<Pick<Backlog, Kind>> {
  type Row = { kind: BacklogKind; count: number; oldestS: number | null };
  const statement = wanted.map(countOf).join('\nUNION ALL\n');
  const rows = await runStatement<Row>(db.pool, `read_backlog_${wanted.join('_').slice(0, 40)}`, statement, [
    atMost,
  ]);
  return Object.fromEntries(rows.map(({ kind, ...found }) => [kind, found])) as Pick<Backlog, Kind>;
}

function countOf(kind: BacklogKind): string {
  const { from, since, when } = kinds[kind];
  return `SELECT '${kind}' AS kind, count(*)::float8 AS count,
      CASE WHEN count(*) > 0 THEN greatest(0, extract(epoch FROM now() - min(since)))::float8 END AS "oldestS"
    FROM (SELECT ${since} AS since FROM ${from} WHERE ${when} LIMIT $1) found`;
}

/** More than that is many. */
const maxCounted = 100_000;

/** What waits in the database for a service: how much, and since when. */
export function backlogGauges(registry: Registry, db: Database, kinds: readonly BacklogKind[]): GaugeReader {
  const waiting = gauge(
    registry,
    'backlog',
    `What waits in the database for somebody to do it; no more than ${maxCounted} are looked at`,
    ['kind'],
  );
  const oldest = gauge(
    registry,
    'backlog_oldest_age_seconds',
    'Since when the first of what waits in the database waits; 0 when nothing does',
    ['kind'],
  );
  return {
    async read() {
      for (const [kind, found] of Object.entries(await readBacklogOf(db, kinds, maxCounted))) {
        waiting.set({ kind }, found.count);
        oldest.set({ kind }, found.oldestS ?? 0);
      }
    },
    forget() {
      waiting.reset();
      oldest.reset();
    },
  };
}

/** Executions that have not ended: each holds money. */
export function holdGauges(registry: Registry, db: Database): GaugeReader {
  const open = gauge(
    registry,
    'holds_open',
    `Holds that are not resolved; no more than ${maxCounted} are counted`,
  );
  const oldest = gauge(
    registry,
    'holds_oldest_age_seconds',
    'Age of the unresolved hold that expires first; 0 when there is none',
  );
  const all = [open, oldest];
  return {
    async read() {
      const { count, oldestS } = await readOpenHolds(db, maxCounted);
      open.set(count);
      oldest.set(oldestS);
    },
    // Without labels a reset would show zero, as if all were well.
    forget: () => all.forEach((one) => one.set(Number.NaN)),
  };
}
