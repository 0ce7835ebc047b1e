import { limits } from '@holdfast/domain/limits';
import type { Money } from '@holdfast/domain/money';
import type { Failure, RecordedOutcome } from '@holdfast/domain/outcome';
import { transitions } from '@holdfast/domain/statuses';
import type { Database } from '../client.ts';
import { quotedList } from '../executions/read.ts';
import { maxLockWaitMs } from '../locks.ts';
import {
  checkedSql,
  firstId,
  hasKeySql,
  runStatement,
  storableJson,
  storableText,
  withoutBadEscapes,
} from '../statement.ts';
import { newToken } from './lease.ts';
import { withoutOutputSql } from './storedOutcome.ts';

export type EndedAttempt = {
  attemptId: string;
  outcome: RecordedOutcome;
  state: 'succeeded' | 'failed' | 'unknown';
  /** The provider's error before it was mapped to ours. */
  rawError?: string | null;
  /** What the run cost at the provider; null: unknown. */
  providerCost?: Money | null;
  /** The output as JSON, if it is known already. */
  outputJson?: string;
};

/** Characters of JSON from which an output is stored apart. */
const largeOutput = 16_384;

/** Ends attempts; returns the ids without an earlier outcome. An erased execution keeps no output. */
export async function recordOutcomes(db: Database, items: EndedAttempt[]): Promise<string[]> {
  const parts = items.map(partsOf);
  const rows = await runStatement<{ id: string }>(db.pool, 'record_outcomes', recordOutcomesSql, [
    items.map(({ attemptId }) => attemptId),
    parts.map(({ outcome }) => outcome),
    items.map(({ state }) => state),
    items.map(({ rawError }) => (rawError ? storableText(rawError) : null)),
    parts.map(({ output }) => output),
    items.map(({ providerCost = null }) => providerCost),
  ]);
  return rows.map(({ id }) => id);
}

/** As JSON. A large output apart from its outcome, which is then read without it. */
function partsOf({ outcome, outputJson }: EndedAttempt): { outcome: string; output: string | null } {
  if (!outcome.ok) return { outcome: storableJson(outcome), output: null };
  const output = outputJson ?? JSON.stringify(outcome.output);
  if (output.length < largeOutput) return { outcome: storableJson(outcome), output: null };
  // `undefined` leaves a property out.
  const rest = { ...outcome, ok: undefined, output: undefined };
  return { outcome: storableJson(rest), output: withoutBadEscapes(output) };
}

// All statements here lock attempts, and then executions, each in order of id, as everywhere, and wait briefly for a lock.
const briefly = `set_config('lock_timeout', '${maxLockWaitMs}', true)`;
const isOpen = `${hasKeySql('a.id', 'i.id')} AND ${checkedSql('a.finished_at IS NULL')}`;

const recordOutcomesSql = `
WITH ended AS (
  UPDATE attempts a SET state = i.state, finished_at = now(), lease_until = NULL, poll_at = NULL,
    outcome = CASE WHEN a.settled_at IS NULL THEN i.outcome ELSE ${withoutOutputSql('i.outcome')} END,
    output = CASE WHEN a.settled_at IS NULL THEN ($5::json[])[i.n] END,
    raw_error = CASE WHEN a.settled_at IS NULL THEN i.raw_error END,
    handle = CASE WHEN a.settled_at IS NULL THEN a.handle END,
    provider_cost = i.provider_cost
  FROM (
    SELECT DISTINCT ON (id) *, ${briefly}
    FROM unnest($1::text[], $2::json[], $3::text[], $4::text[], $6::numeric[])
      WITH ORDINALITY AS t (id, outcome, state, raw_error, provider_cost, n) ORDER BY id
  ) i
  WHERE ${isOpen} RETURNING a.id, a.execution_id, a.provider, a.state, a.provider_cost
),
costing AS (
  INSERT INTO provider_costs (attempt_id, execution_id, provider, is_success, cost)
  SELECT id, execution_id, provider, state = 'succeeded', provider_cost FROM ended WHERE provider_cost IS NOT NULL
)
SELECT id FROM ended`;

/** Returns which of these attempts have ended, or have an execution that has. */
export async function endedAttempts(db: Database, attemptIds: string[]): Promise<string[]> {
  const rows = await runStatement<{ id: string }>(db.pool, 'ended_attempts', ended, [attemptIds]);
  return rows.map(({ id }) => id);
}

const ended = `
SELECT i.id FROM unnest($1::text[]) AS i (id) CROSS JOIN LATERAL (
  SELECT finished_at, execution_id FROM attempts WHERE id = i.id OFFSET 0
) a
WHERE a.finished_at IS NOT NULL OR (SELECT completed_at IS NOT NULL FROM executions WHERE id = a.execution_id)`;

export type Refusal = {
  attemptId: string;
  /** As of the caller's claim: 0 when it started the attempt. */
  claims: number;
  /** The provider had accepted the run, and has lost it. */
  wasAccepted?: boolean;
  outcome: Omit<Failure, 'raw'>;
  rawError: string | null;
  next: { connection: string; target: string; afterMs: number };
};

/**
 * Ends attempts that were not accepted (or were lost) and writes each next try, unless the execution has ended. Returns
 * those still in the expected state, and not claimed since: another dispatcher may have taken over a paused one.
 */
export async function recordRefusals(db: Database, refusals: Refusal[]): Promise<string[]> {
  const rows = await runStatement<{ id: string }>(db.pool, 'record_refusals', recordRefusalsSql, [
    refusals.map(({ attemptId }) => attemptId),
    refusals.map(({ outcome }) => storableJson(outcome)),
    refusals.map(({ rawError }) => (rawError === null ? null : storableText(rawError))),
    refusals.map(({ next }) => next.connection),
    refusals.map(({ next }) => next.target),
    refusals.map(({ next }) => Math.round(next.afterMs)),
    refusals.map(({ wasAccepted }) => (wasAccepted ? 'running' : 'starting')),
    refusals.map(({ claims }) => claims),
    firstId(
      'exec',
      refusals.map(({ attemptId }) => attemptId),
    ),
  ]);
  return rows.map(({ id }) => id);
}

export type BusyRefusal = {
  attemptId: string;
  rawError: string | null;
  next: { connection: string; target: string; afterMs: number };
  /** As of the caller's claim: 0 when it started the attempt. */
  claims: number;
  /** It may have been accepted after all: the next try only asks about it. */
  mayHaveRun: boolean;
};

/**
 * Postpones attempts refused for capacity under their tokens; returns the ids that were still starting, and not claimed
 * since.
 */
export async function recordBusyRefusals(db: Database, refusals: BusyRefusal[]): Promise<string[]> {
  const rows = await runStatement<{ id: string }>(db.pool, 'record_busy_refusals', busy, [
    refusals.map(({ attemptId }) => attemptId),
    refusals.map(({ rawError }) => (rawError === null ? null : storableText(rawError))),
    refusals.map(({ next }) => next.connection),
    refusals.map(({ next }) => next.target),
    refusals.map(({ next }) => Math.round(next.afterMs)),
    refusals.map(({ mayHaveRun }) => mayHaveRun),
    refusals.map(({ claims }) => claims),
  ]);
  return rows.map(({ id }) => id);
}

const recordRefusalsSql = `
WITH refused AS (
  UPDATE attempts a SET state = 'refused', finished_at = now(), lease_until = NULL, poll_at = NULL,
    outcome = CASE WHEN a.settled_at IS NULL THEN i.outcome ELSE ${withoutOutputSql('i.outcome')} END,
    raw_error = CASE WHEN a.settled_at IS NULL THEN i.raw_error END
  FROM (
    SELECT DISTINCT ON (id) *, ${briefly} FROM unnest($1::text[], $2::json[], $3::text[], $4::text[], $5::text[], $6::int[], $7::text[], $8::int[])
      AS t (id, outcome, raw_error, connection, target, after_ms, state, claims) ORDER BY id
  ) i
  WHERE ${isOpen} AND ${checkedSql('a.state = i.state AND a.claims = i.claims')}
  RETURNING a.id, a.execution_id, a.number, i.connection, i.target, i.after_ms
),
next AS (
  INSERT INTO attempts (id, execution_id, number, provider, target, state, token, poll_at)
  SELECT new_id('att'), r.execution_id, r.number + 1, r.connection, r.target, 'waiting', ${newToken},
    now() + r.after_ms * interval '1 millisecond'
  FROM refused r CROSS JOIN LATERAL (
    SELECT completed_at IS NOT NULL AS ended FROM executions WHERE id = r.execution_id AND id >= $9 LIMIT 1
  ) e WHERE NOT e.ended
)
SELECT id FROM refused`;

// An expired lease lets any dispatcher take the attempt over and ask about it.
const busy = `
UPDATE attempts a SET state = CASE WHEN i.may_have_run THEN 'starting' ELSE 'waiting' END,
  provider = i.connection, target = i.target,
  lease_until = CASE WHEN i.may_have_run THEN i.time END, poll_at = CASE WHEN NOT i.may_have_run THEN i.time END,
  busy_refusals = a.busy_refusals + 1, busy_since = coalesce(a.busy_since, now()),
  raw_error = CASE WHEN a.settled_at IS NULL THEN i.raw_error END
FROM (
  SELECT DISTINCT ON (id) *, ${briefly}, now() + after_ms * interval '1 millisecond' AS time
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::int[], $6::boolean[], $7::int[])
    AS t (id, raw_error, connection, target, after_ms, may_have_run, claims) ORDER BY id
) i
WHERE ${isOpen} AND ${checkedSql(`a.state = 'starting' AND a.claims = i.claims`)}
RETURNING a.id`;

export type RunningAttempt = {
  attemptId: string;
  handle: { externalId: string } & Record<string, string>;
  awaitsCallback: boolean;
  /** Doubles with every poll while a callback is awaited, unless `isSteady`. */
  pollAfterMs: number;
  isSteady?: boolean;
};

/** Ends the lease of accepted attempts: any dispatcher may continue. Returns the ids that had not ended before. */
export async function recordRunning(db: Database, items: RunningAttempt[]): Promise<string[]> {
  const rows = await runStatement<{ id: string }>(db.pool, 'record_running', recordRunningSql, [
    items.map(({ attemptId }) => attemptId),
    items.map(({ handle }) => storableJson(handle)),
    items.map(({ awaitsCallback }) => awaitsCallback),
    items.map(({ pollAfterMs }) => pollAfterMs),
    items.map(({ awaitsCallback, isSteady = !awaitsCallback }) => isSteady),
  ]);
  return rows.map(({ id }) => id);
}

const { from, to } = transitions.awaitCallback;

const recordRunningSql = `
WITH running AS (
  UPDATE attempts a SET state = 'running', handle = i.handle, external_id = i.handle ->> 'externalId',
    lease_until = NULL, polls = a.polls + 1, poll_at = now() + i.poll_after_ms * interval '1 millisecond'
      * CASE WHEN i.steady THEN 1 ELSE power(2, least(a.polls, 4)) END
  FROM (
    SELECT *, ${briefly} FROM unnest($1::text[], $2::json[], $3::boolean[], $4::int[], $5::boolean[])
      AS t (id, handle, awaits, poll_after_ms, steady) ORDER BY id
  ) i
  WHERE ${isOpen}
  RETURNING a.id, a.execution_id, i.awaits
),
moved AS (
  UPDATE executions e SET status = '${to}' FROM (SELECT execution_id FROM running WHERE awaits ORDER BY execution_id) r
  WHERE ${hasKeySql('e.id', 'r.execution_id')} AND ${checkedSql(`e.status IN (${quotedList(from)})`)}
)
SELECT id FROM running`;

export type ReportedProgress = {
  attemptId: string;
  executionId: string;
  progress: number | null;
  queuePosition: number | null;
  logs: string;
  isShown: boolean;
  logged: number;
};

/** Writes changed progress of open runs. A log read twice concurrently is appended once. */
export async function recordProgress(db: Database, reports: ReportedProgress[]): Promise<void> {
  const column = <Key extends keyof ReportedProgress>(key: Key) => reports.map((item) => item[key]);
  await runStatement(db.pool, 'record_progress', recordProgressSql, [
    column('attemptId'),
    column('executionId'),
    column('progress'),
    column('queuePosition'),
    column('logs').map(storableText),
    column('logged'),
    column('isShown'),
    firstId('exec', column('executionId')),
  ]);
}

const recordProgressSql = `
WITH item AS (
  SELECT DISTINCT ON (id) *, ${briefly} FROM unnest($1::text[], $2::text[], $3::real[], $4::int[], $5::text[], $6::int[], $7::boolean[])
    AS t (id, execution_id, progress, queue_position, logs, logged, is_shown) ORDER BY id, logged DESC
),
due AS MATERIALIZED (
  SELECT i.*, a.logged AS logged_before FROM item i CROSS JOIN LATERAL (
    SELECT logged FROM attempts WHERE id = i.id AND ${checkedSql('finished_at IS NULL')} FOR UPDATE
  ) a
),
reported AS MATERIALIZED (
  SELECT d.*, e.id IS NOT NULL AS is_open, CASE WHEN d.logged > d.logged_before AND d.is_shown THEN d.logs ELSE '' END AS shown
  FROM (SELECT * FROM due ORDER BY execution_id) d LEFT JOIN LATERAL (
    SELECT id FROM executions WHERE id = d.execution_id AND id >= $8
      AND ${checkedSql(`completed_at IS NULL AND (d.logged > d.logged_before OR
        (coalesce(d.progress, progress), d.queue_position) IS DISTINCT FROM (progress, queue_position))`)} FOR UPDATE
  ) e ON true
),
counted AS (
  UPDATE attempts a SET logged = t.logged, raw_logs = CASE
    WHEN t.is_shown OR t.logs = '' OR NOT t.is_open THEN a.raw_logs
    ELSE right(coalesce(a.raw_logs, '') || t.logs, ${limits.logLength}) END
  FROM reported t WHERE ${hasKeySql('a.id', 't.id')} AND t.logged > t.logged_before
)
UPDATE executions e SET progress = coalesce(t.progress, e.progress), queue_position = t.queue_position,
  logs = CASE WHEN t.shown = '' THEN e.logs ELSE right(coalesce(e.logs, '') || t.shown, ${limits.logLength}) END,
  logs_total = e.logs_total + length(t.shown)
FROM reported t WHERE ${hasKeySql('e.id', 't.execution_id')} AND t.is_open AND ${checkedSql(`e.completed_at IS NULL AND (t.shown <> '' OR
  (coalesce(t.progress, e.progress), t.queue_position) IS DISTINCT FROM (e.progress, e.queue_position))`)}`;
