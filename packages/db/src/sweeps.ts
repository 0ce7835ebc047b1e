import { openStatuses } from '@holdfast/domain/statuses';
import { isOkSql } from './attempts/storedOutcome.ts';
import type { Database } from './client.ts';
import { quotedList } from './executions/read.ts';
import { firstIdSince, runStatement } from './statement.ts';

const page = 2000;

const pendingPage = 50_000;
/** Pause before a retry is listed again, so that retries for an unavailable provider do not crowd out others. */
const broughtAgainS = { refused: 3, busy: 10 };

export type PendingRow = [id: string, organizationId: string, model: string, rank: number];

type Waiting = { id: string; organization_id: string; model: string; priority: number };

/** Pending executions whose job may be lost, the first of every organization: one backlog must not hide another. */
export async function stalePendingExecutions(
  db: Database,
  olderThanS: number,
  maxOfEach: number,
  maxInAll = pendingPage,
): Promise<PendingRow[]> {
  const values = [olderThanS, maxOfEach, maxInAll];
  return (await runStatement<Waiting>(db.pool, 'stale_pending', pending, values)).map(toPending);
}

/** Late: its job should have done it by now, but may never come. */
export type DueWork = { id: string; isLate: boolean };

const lateAfterS = 5;

export async function abandonedAttempts(db: Database): Promise<DueWork[]> {
  return await runStatement<DueWork>(db.pool, 'abandoned_attempts', abandoned, [page]);
}

/** `refusedAt`: where its execution was refused for another reason than capacity. */
export type PendingRetry = {
  retry: [attemptId: string, ...PendingRow, connection: string, target: string];
  refusedAt: [connection: string, target: string][];
};

/** Each is listed again after some seconds until it is taken. `over`: attempts whose executions have ended. */
export async function pendingRetries(db: Database): Promise<{ due: PendingRetry[]; over: string[] }> {
  type Row = Waiting & {
    attempt_id: string;
    provider: string;
    target: string;
    ended: boolean;
    refused_at: [string, string][];
  };
  const { refused, busy } = broughtAgainS;
  const rows = await runStatement<Row>(db.pool, 'waiting_tries', waiting, [page, refused, busy]);
  return {
    due: rows
      .filter(({ ended }) => !ended)
      .map((row) => ({
        retry: [row.attempt_id, ...toPending(row), row.provider, row.target],
        refusedAt: row.refused_at,
      })),
    over: rows.filter(({ ended }) => ended).map(({ attempt_id: attemptId }) => attemptId),
  };
}

export type OpenRun = {
  executionId: string;
  organizationId: string;
  model: string;
  connection: string;
  target: string;
};

export async function openRuns(db: Database): Promise<OpenRun[]> {
  return await runStatement<OpenRun>(db.pool, 'open_runs', open, [firstIdSince('exec', Date.now())]);
}

export async function openRunsAt(
  db: Database,
  at: { connection: string; target: string },
): Promise<string[]> {
  return await ids(db, 'open_runs_at', openAt, [at.connection, at.target]);
}

export async function filterOpenRuns(db: Database, executionIds: string[]): Promise<string[]> {
  return await ids(db, 'still_open', still, [executionIds]);
}

export async function attemptsToPoll(db: Database): Promise<DueWork[]> {
  return await runStatement<DueWork>(db.pool, 'attempts_to_poll', toPoll, [page]);
}

export async function staleCallbacks(db: Database, olderThanS: number): Promise<DueWork[]> {
  return await runStatement<DueWork>(db.pool, 'stale_callbacks', callbacks, [olderThanS, page]);
}

export type UnsettledAttempt = { attemptId: string; ok: boolean; finishedAt: Date };

/** The oldest after `after`, a page at most. */
export async function unsettledAttempts(
  db: Database,
  olderThanS: number,
  after: UnsettledAttempt | null = null,
): Promise<UnsettledAttempt[]> {
  const values = [olderThanS, page, after?.finishedAt ?? '-infinity', after?.attemptId ?? ''];
  return await runStatement<UnsettledAttempt>(db.pool, 'unsettled_attempts', unsettled, values);
}

/** The work of one service: whether there is any, or a row that becomes work with time. */
export async function hasWork(db: Database, service: keyof typeof works): Promise<boolean> {
  const [row] = await runStatement<{ found: boolean }>(
    db.pool,
    `has_work_of_${service}`,
    anyOf(works[service]),
    [],
  );
  return row?.found ?? true;
}

function toPending(row: Waiting): PendingRow {
  return [row.id, row.organization_id, row.model, row.priority];
}

async function ids(db: Database, name: string, text: string, values: unknown[]): Promise<string[]> {
  const rows = await runStatement<{ id: string }>(db.pool, name, text, values);
  return rows.map(({ id }) => id);
}

const pending = `
WITH RECURSIVE waiting AS (
  SELECT min(organization_id) AS organization_id FROM executions WHERE status = 'PENDING'
  UNION ALL
  SELECT (SELECT min(e.organization_id) FROM executions e
    WHERE e.status = 'PENDING' AND e.organization_id > w.organization_id)
  FROM waiting w WHERE w.organization_id IS NOT NULL
)
SELECT e.id, e.organization_id, e.model, e.priority FROM waiting w CROSS JOIN LATERAL (
  SELECT id, organization_id, model, priority FROM executions
  WHERE status = 'PENDING' AND organization_id = w.organization_id
    AND created_at < now() - $1::int * interval '1 second'
  ORDER BY priority, created_at
  LIMIT (SELECT greatest(1, least($2::int, $3::int / greatest(1, count(organization_id)))) FROM waiting)
) e`;

const isLate = (since: string) => `${since} < now() - interval '${lateAfterS} seconds' AS "isLate"`;

const abandoned = `
SELECT id, ${isLate('lease_until')} FROM attempts WHERE finished_at IS NULL AND state = 'starting' AND lease_until < now()
ORDER BY lease_until LIMIT $1`;

// Looked up one by one: a join would read whole months.
const waiting = `
WITH due AS (
  SELECT id FROM attempts WHERE finished_at IS NULL AND state = 'waiting' AND poll_at <= now()
  ORDER BY poll_at LIMIT $1 FOR UPDATE SKIP LOCKED
),
brought AS (
  UPDATE attempts a SET poll_at = now() + CASE WHEN a.busy_refusals > 0 THEN $3::int ELSE $2::int END * interval '1 second'
  WHERE a.id = ANY (ARRAY (SELECT id FROM due))
  RETURNING a.id, a.execution_id, a.provider, a.target
)
SELECT a.id AS attempt_id, a.execution_id AS id, e.organization_id, e.model, e.priority, a.provider, a.target, e.ended,
  (SELECT coalesce(json_agg(DISTINCT jsonb_build_array(r.provider, r.target)), '[]') FROM attempts r
   WHERE r.execution_id = a.execution_id AND r.state = 'refused') AS refused_at
FROM brought a CROSS JOIN LATERAL (
  SELECT organization_id, model, priority, completed_at IS NOT NULL AS ended FROM executions
  WHERE id = a.execution_id LIMIT 1
) e`;

const open = `
SELECT a.execution_id AS "executionId", e.organization_id AS "organizationId", e.model, a.provider AS connection, a.target
FROM attempts a CROSS JOIN LATERAL (
  SELECT organization_id, model FROM executions WHERE id = a.execution_id AND id >= $1 LIMIT 1
) e
WHERE a.finished_at IS NULL AND a.state <> 'waiting'`;

const openAt = `
SELECT execution_id AS id FROM attempts
WHERE finished_at IS NULL AND state <> 'waiting' AND provider = $1 AND target = $2`;

const still = `
SELECT execution_id AS id FROM attempts
WHERE execution_id = ANY ($1::text[]) AND finished_at IS NULL AND state <> 'waiting'`;

const toPoll = `
SELECT id, ${isLate('poll_at')} FROM attempts WHERE finished_at IS NULL AND state = 'running' AND poll_at <= now()
  AND (lease_until IS NULL OR lease_until < now())
ORDER BY poll_at LIMIT $1`;

const callbacks = `
SELECT id, ${isLate("received_at + $1::int * interval '1 second'")} FROM provider_callbacks WHERE processed_at IS NULL AND received_at < now() - $1::int * interval '1 second'
ORDER BY received_at LIMIT $2`;

const unsettled = `
SELECT id AS "attemptId", ${isOkSql('outcome')} AS ok, finished_at AS "finishedAt" FROM attempts
WHERE outcome IS NOT NULL AND settled_at IS NULL AND state <> 'refused' AND finished_at < now() - $1::int * interval '1 second'
  AND (finished_at, id) > ($3::timestamptz, $4::text)
ORDER BY finished_at, id LIMIT $2`;

/** Each condition as the index of its sweep has it. */
const works = {
  dispatcher: [
    `executions WHERE status = 'PENDING'`,
    `attempts WHERE finished_at IS NULL AND state = 'waiting'`,
    `attempts WHERE finished_at IS NULL AND state = 'starting'`,
    `attempts WHERE finished_at IS NULL AND state = 'running'`,
    `provider_callbacks WHERE processed_at IS NULL`,
  ],
  ledger: [
    `executions WHERE status IN (${quotedList(openStatuses)})`,
    `attempts WHERE outcome IS NOT NULL AND settled_at IS NULL AND state <> 'refused'`,
    `batches WHERE ended_at IS NULL AND (status <> 'open' OR expires_at <= now())`,
    'provider_costs',
  ],
  sender: [`events WHERE fanned_out_at IS NULL`, `deliveries WHERE state = 'pending'`, 'webhook_updates'],
} as const;

function anyOf(sources: readonly string[]): string {
  return `SELECT ${sources.map((source) => `EXISTS (SELECT FROM ${source})`).join(' OR ')} AS found`;
}
