import type { Database } from '../client.ts';
import { type ModelVersions, versionsSql } from '../models.ts';
import { checkedSql, hasKeySql, runStatement, sameIdSql } from '../statement.ts';

/** Where an attempt is sent: a route of this version of its model. */
export type AttemptRoute = { connection: string; target: string; modelVersion?: string | null };

export type ClaimedAttempt = {
  attemptId: string;
  attemptToken: string;
  state: 'waiting' | 'starting' | 'running';
  connection: string;
  target: string;
  versions: ModelVersions;
  handle: ({ externalId: string } & Record<string, string>) | null;
  logged: number;
  busyRefusals: number;
  /** From 1, in the order of the tries. */
  number: number;
  /** How often it was claimed since its start, this claim included. */
  claims: number;
  startedAtMs: number;
  executionId: string;
  organizationId: string;
  model: string;
  priority: number;
  input: Record<string, unknown>;
  /** The output is shown while it is made. */
  isStreamed: boolean;
  ended: boolean;
  remainingMs: number;
  traceparent: string | null;
};

export async function claimAbandoned(
  db: Database,
  id: string,
  leaseS: number,
): Promise<ClaimedAttempt | null> {
  return await claim(db, 'claim_abandoned', abandoned, [id, leaseS]);
}

/** Takes a due retry to send it to this provider, unless its execution has expired or is about to: it would fail instead. */
export async function claimWaiting(
  db: Database,
  id: string,
  to: AttemptRoute,
  leaseS: number,
): Promise<ClaimedAttempt | null> {
  return await claim(db, 'claim_waiting', waiting, [
    id,
    leaseS,
    to.connection,
    to.target,
    to.modelVersion ?? null,
  ]);
}

export async function claimPoll(db: Database, id: string, leaseS: number): Promise<ClaimedAttempt | null> {
  return await claim(db, 'claim_poll', due, [id, leaseS]);
}

export async function claimByToken(
  db: Database,
  token: string,
  leaseS: number,
): Promise<ClaimedAttempt | null> {
  return await claim(db, 'claim_by_token', called, [token, leaseS]);
}

export async function attemptsToStop(db: Database, executionId: string): Promise<ClaimedAttempt[]> {
  return await runStatement<ClaimedAttempt>(db.pool, 'attempts_to_stop', toStop, [executionId]);
}

async function claim(
  db: Database,
  name: string,
  statement: string,
  values: unknown[],
): Promise<ClaimedAttempt | null> {
  const [attempt] = await runStatement<ClaimedAttempt>(db.pool, name, statement, values);
  return attempt ?? null;
}

const columns = `a.id AS "attemptId", a.token AS "attemptToken", a.state, a.provider AS connection, a.target, ${versionsSql}, a.handle,
  a.number, a.logged, a.busy_refusals AS "busyRefusals", a.claims, (extract(epoch FROM a.created_at) * 1000)::float8 AS "startedAtMs", e.id AS "executionId", e.organization_id AS "organizationId",
  e.model, e.priority, e.input, e.traceparent, e.on_cancel IS NOT NULL AS "isStreamed", e.completed_at IS NOT NULL AS ended,
  greatest(0, extract(epoch FROM e.expires_at - now()) * 1000)::int AS "remainingMs"`;

const lease = `lease_until = now() + $2::int * interval '1 second'`;

const executionSql = `CROSS JOIN LATERAL (SELECT * FROM executions WHERE id = a.execution_id OFFSET 0) e`;

function claimSql(set: string, key: string, condition: string): string {
  return `
WITH a AS (UPDATE attempts SET ${lease}, claims = claims + 1${set} WHERE ${key} = $1 AND ${checkedSql(condition)} RETURNING *)
SELECT ${columns} FROM a ${executionSql}`;
}

const abandoned = claimSql('', 'id', `state = 'starting' AND finished_at IS NULL AND lease_until < now()`);

const waiting = claimSql(
  `, state = 'starting', poll_at = NULL, provider = $3, target = $4, model_version = $5, created_at = now()`,
  'id',
  `state = 'waiting' AND finished_at IS NULL AND (
    SELECT e.completed_at IS NOT NULL OR e.expires_at > now() + interval '1 second' FROM executions e WHERE e.id = attempts.execution_id)`,
);

const due = claimSql(
  `, poll_at = now() + $2::int * interval '1 second'`,
  'id',
  `state = 'running' AND finished_at IS NULL AND poll_at <= now() AND (lease_until IS NULL OR lease_until < now())`,
);

const called = claimSql(
  '',
  'token',
  `finished_at IS NULL AND state <> 'waiting' AND (state = 'starting' OR lease_until IS NULL OR lease_until < now())`,
);

const toStop = `
SELECT ${columns} FROM attempts a ${executionSql}
WHERE a.execution_id = $1 AND a.finished_at IS NULL AND e.completed_at IS NOT NULL`;

export async function extendLeases(db: Database, attemptIds: string[], leaseS: number): Promise<string[]> {
  const rows = await runStatement<{ id: string }>(db.pool, 'extend_leases', extend, [attemptIds, leaseS]);
  return rows.map(({ id }) => id);
}

/** Like `extendLeases`, for leases that have run out and that no other dispatcher has taken since. */
export async function reclaimLeases(db: Database, attemptIds: string[], leaseS: number): Promise<string[]> {
  const rows = await runStatement<{ id: string }>(db.pool, 'reclaim_leases', reclaim, [attemptIds, leaseS]);
  return rows.map(({ id }) => id);
}

export async function releaseLeases(db: Database, attemptIds: string[]): Promise<void> {
  await runStatement(db.pool, 'release_leases', release, [attemptIds]);
}

export async function markStopped(db: Database, attemptIds: string[]): Promise<void> {
  await runStatement(db.pool, 'mark_stopped', stop, [attemptIds]);
}

// In order of id, as everywhere, against deadlocks.
const given = '(SELECT DISTINCT id FROM unnest($1::text[]) id ORDER BY id)';
const openSql = (ids: string) =>
  `FROM ${ids} i WHERE ${hasKeySql('a.id', 'i.id')} AND ${checkedSql('a.finished_at IS NULL')}`;

// A row that another session locks must not cost the others their leases. Its own can't be taken meanwhile, either.
const ofOpen = openSql(`(
  SELECT free.id FROM ${given} t
  CROSS JOIN LATERAL (SELECT id FROM attempts WHERE ${sameIdSql('t.id')} FOR NO KEY UPDATE SKIP LOCKED) free
)`);

// A run already handed over to polling has no lease: one would delay its callback and its polls.
const extendSql = (condition: string) => `
UPDATE attempts a SET lease_until = CASE WHEN a.lease_until IS NOT NULL THEN now() + $2::int * interval '1 second' END
${ofOpen} AND ${condition}(SELECT e.completed_at IS NULL FROM executions e WHERE e.id = a.execution_id)
RETURNING a.id`;

const extend = extendSql('');
const reclaim = extendSql(`${checkedSql('a.lease_until IS NULL OR a.lease_until < now()')} AND `);

// One that was postponed meanwhile waits for its time, without a lease.
const release = `
UPDATE attempts a SET lease_until = now(), poll_at = CASE WHEN a.state = 'running' THEN now() END
${ofOpen} AND ${checkedSql(`a.state <> 'waiting'`)}`;

const stop = `
UPDATE attempts a SET state = 'cancelled', finished_at = now(), lease_until = NULL, poll_at = NULL,
  handle = CASE WHEN a.settled_at IS NULL THEN a.handle END ${openSql(given)}`;

/** False: the run has ended, or a poll is under way, whose record would set the time of the next one. */
export async function pollNow(db: Database, token: string): Promise<boolean> {
  return (await runStatement(db.pool, 'ask_now', askNow, [token])).length > 0;
}

const askNow = `
UPDATE attempts SET poll_at = now()
WHERE token = $1 AND ${checkedSql(
  `state = 'running' AND finished_at IS NULL AND (lease_until IS NULL OR lease_until < now())`,
)} RETURNING id`;

/** 122 random bits after the time, which makes new tokens neighbours in their index. */
export const newToken = `to_hex((extract(epoch FROM clock_timestamp()) * 1000)::bigint) || replace(gen_random_uuid()::text, '-', '')`;

export type TryCount = { connection: string; target: string; tries: number };

export async function countTries(db: Database, executionId: string): Promise<TryCount[]> {
  return await runStatement<TryCount>(db.pool, 'tries_of', tries, [executionId]);
}

/** Where an execution was refused for another reason than capacity: it is not sent there again automatically. */
export async function refusedAt(
  db: Database,
  executionId: string,
): Promise<{ connection: string; target: string }[]> {
  return await runStatement(db.pool, 'refused_at', refused, [executionId]);
}

const refused = `
SELECT DISTINCT provider AS connection, target FROM attempts WHERE execution_id = $1 AND state = 'refused'`;

const tries = `
SELECT provider AS connection, target, count(*)::int AS tries FROM attempts WHERE execution_id = $1
GROUP BY provider, target`;
