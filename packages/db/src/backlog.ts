import { openStatuses } from '@holdfast/domain/statuses';
import type { Database } from './client.ts';
import { quotedList } from './executions/read.ts';
import { runStatement } from './statement.ts';

export type OpenHolds = { count: number; oldestS: number };

export async function readOpenHolds(db: Database, atMost: number): Promise<OpenHolds> {
  const [row] = await runStatement<OpenHolds>(db.pool, 'read_open_holds', statement, [atMost]);
  return row ?? { count: 0, oldestS: 0 };
}

const open = `FROM executions WHERE status IN (${quotedList(openStatuses)})`;

const statement = `SELECT (SELECT count(*) FROM (SELECT 1 ${open} LIMIT $1) found)::float8 AS count,
  coalesce(greatest(0, extract(epoch FROM now() - (SELECT created_at ${open} ORDER BY expires_at LIMIT 1))), 0)::float8
    AS "oldestS"`;

export type Backlog = Record<BacklogKind, { count: number; oldestS: number | null }>;

export type BacklogKind = keyof typeof kinds;

/** `from` and `when` match the index of the sweep; `since` is the start of the wait. */
const kinds = {
  pending: { from: 'executions', since: 'created_at', when: `status = 'PENDING'` },
  waiting_tries: {
    from: 'attempts',
    since: 'poll_at',
    when: `finished_at IS NULL AND state = 'waiting' AND poll_at <= now()`,
  },
  busy: {
    from: 'attempts',
    since: 'busy_since',
    when: `finished_at IS NULL AND state = 'waiting' AND busy_refusals > 0`,
  },
  running: { from: 'attempts', since: 'created_at', when: `finished_at IS NULL AND state = 'running'` },
  abandoned: {
    from: 'attempts',
    since: 'lease_until',
    when: `finished_at IS NULL AND state = 'starting' AND lease_until < now()`,
  },
  callbacks: { from: 'provider_callbacks', since: 'received_at', when: 'processed_at IS NULL' },
  unsettled: {
    from: 'attempts',
    since: 'finished_at',
    when: `outcome IS NOT NULL AND settled_at IS NULL AND state <> 'refused'`,
  },
  overdue: {
    from: 'executions',
    since: 'expires_at',
    when: `status IN ('PENDING', 'PROCESSING', 'AWAITING_WEBHOOK') AND expires_at <= now()`,
  },
  events: { from: 'events', since: 'created_at', when: 'fanned_out_at IS NULL' },
  deliveries: {
    from: 'deliveries',
    since: 'next_attempt_at',
    when: `state = 'pending' AND next_attempt_at <= now() AND (lease_until IS NULL OR lease_until <= now())`,
  },
  reviews: { from: 'reviews', since: 'created_at', when: `state = 'open'` },
} as const;

const allKinds = Object.keys(kinds) as BacklogKind[];

/** Stops counting a kind at `atMost`; by default it counts all, even millions of rows. */
export async function readBacklog<Kind extends BacklogKind>(
  db: Database,
  { atMost = null, of: wanted = allKinds as Kind[] }: { atMost?: number | null; of?: readonly Kind[] } = {},
): Promise<Pick<Backlog, Kind>> {
  type Row = { kind: BacklogKind; count: number; oldestS: number | null };
  const name = `read_backlog_${wanted.map((kind) => kind.slice(0, 3)).join('_')}`;
  const rows = await runStatement<Row>(db.pool, name, wanted.map(countOf).join('\nUNION ALL\n'), [atMost]);
  return Object.fromEntries(rows.map(({ kind, ...found }) => [kind, found])) as Pick<Backlog, Kind>;
}

function countOf(kind: BacklogKind): string {
  const { from, since, when } = kinds[kind];
  return `SELECT '${kind}' AS kind, count(*)::float8 AS count,
      CASE WHEN count(*) > 0 THEN greatest(0, extract(epoch FROM now() - min(since)))::float8 END AS "oldestS"
    FROM (SELECT ${since} AS since FROM ${from} WHERE ${when} LIMIT $1) found`;
}
