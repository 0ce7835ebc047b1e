import { limits } from '@holdfast/domain/limits';
import type { Money } from '@holdfast/domain/money';
import { type TransitionName, transitions } from '@holdfast/domain/statuses';
import { isOkSql, withoutOutputSql } from '../attempts/storedOutcome.ts';
import type { Database } from '../client.ts';
import { maxLockWaitMs } from '../locks.ts';
import { checkedSql, firstId, hasKeySql, runStatement } from '../statement.ts';
import { type NewEvent, newEventColumnsSql, newEventSql } from '../webhooks/newEvents.ts';
import { chargeSql } from './overage.ts';
import { quotedList } from './read.ts';
import { isReviewedSql } from './reviews.ts';

export type EndedExecution = NewEvent & {
  executionId: string;
  organizationId: string;
  model: string;
  traceparent: string | null;
  /** The price above the charge, and which cap applied. */
  writeOff: { amount: Money; reason: 'balance' | 'spend_limit' } | null;
};

// Ends executions in one statement: status, money and event. `candidates` selects the rows, locked in order of id; rows
// that are not in a from-state of the transition stay unchanged. With `priced` the hold is settled: `overage` takes the
// part of the cost above the hold from `available`, `settle` charges, `remainder` returns the rest of the hold, and
// `write_off` is the part that the policy does not charge. A price that no one would believe is settled at the hold, and
// its row in `reviews` waits for an operator. `isWithinHold` leaves out what only an overage needs: it costs a quarter of
// the statement. Otherwise the hold is released. The trigger `transfers_post` updates the balances.
function endingStatement(args: {
  transition: Extract<TransitionName, 'complete' | 'fail' | 'cancel' | 'expire'>;
  first?: string;
  /** Executions to settle; `candidates` then reads the CTE `charge`, which has their columns. */
  priced?: string;
  isWithinHold?: boolean;
  candidates: string;
  set: string;
  /** Instead of those of a settlement or a release. */
  moves?: string;
  extra?: string;
}): string {
  const { from, to, event } = transitions[args.transition];
  const hasOverage = args.priced !== undefined && !args.isWithinHold;
  const returned = hasOverage ? 'c.unpaid, c.is_above, c.reason' : `0::numeric, false, NULL::text`;
  const ended = `ended (id, organization_id, api_key_id, hold, cost, model, traceparent, month, ${reported.join(', ')}, unpaid, is_above, reason) AS (
  UPDATE executions e SET status = '${to}', completed_at = now()${args.set && `, ${args.set}`} FROM candidate c
  WHERE ${hasKeySql('e.id', 'c.id')} AND c.status IN (${quotedList(from)})
  RETURNING e.id, e.organization_id, e.api_key_id, e.hold_amount, e.cost, e.model, e.traceparent,
    date_trunc('month', e.created_at AT TIME ZONE 'UTC')::date, ${reported.map(reportedSql).join(', ')},
    ${returned}
)`;
  const ctes = [
    args.first,
    ...(args.priced ? [`priced AS MATERIALIZED (${args.priced})`] : []),
    ...(hasOverage ? [locked('priced'), chargeSql] : []),
    ...(args.isWithinHold ? [withinHold, locked('charge')] : []),
    `candidate AS (${args.candidates})`,
    ended,
    ...(args.priced ? [] : [locked('ended')]),
    journal(
      args.moves ?? (hasOverage ? overage + settlement + writeOff : args.priced ? settlement : release),
    ),
    spending,
    ...(hasOverage ? [reviews] : []),
    newEventSql('ended', event),
    args.extra,
  ];
  return `
WITH ${ctes.filter(Boolean).join(',\n')}
SELECT id AS "executionId", organization_id AS "organizationId", model, traceparent,
  ${newEventColumnsSql},
  CASE WHEN unpaid > 0 THEN json_build_object('amount', unpaid::text, 'reason', reason) END AS "writeOff"
FROM addressed${args.isWithinHold ? ` UNION ALL SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL WHERE ${hasAbove}` : ''}`;
}

/** Further columns of the execution that the event reports. */
const reported = [
  'estimated_cost',
  'created_at',
  'started_at',
  'completed_at',
  'expires_at',
  'priority',
  'progress',
  'metadata',
  'webhook_url',
  'output',
  'input_tokens',
  'output_tokens',
  'billed',
  'latency_ms',
  'error_code',
  'error_message',
  'finish_reason',
  'batch_id',
  'custom_id',
  'events',
];

/**
 * In place of an output that no event has room for there is a text that is still too large: a batch keeps all of them, and
 * one that is too large even in its compressed form is not read.
 */
function reportedSql(column: string): string {
  if (column !== 'output') return `e.${column}`;
  const least = limits.webhookBodyBytes + 1;
  return `CASE WHEN pg_column_size(e.output) >= ${least} THEN repeat(' ', ${least}) ELSE left(e.output::text, ${least}) END`;
}

/** Locks the balances, then the spend limits of `rows`, each in order of id, and reads their current values. */
const locked = (rows: string) => `
balance AS (
  SELECT organization_id, available, held, sequence, overage, spend_limit_overage
  FROM locked_balances(ARRAY (SELECT DISTINCT organization_id FROM ${rows}), ${maxLockWaitMs})
),
spent AS (
  SELECT scope_id, month, amount, spent FROM spend_limits WHERE scope_id = ANY (ARRAY (
    SELECT organization_id FROM ${rows} UNION SELECT api_key_id FROM ${rows}
  )) AND (SELECT count(*) FROM balance) > 0 ORDER BY scope_id FOR UPDATE
)`;

const reviews = `
review AS (
  INSERT INTO reviews (execution_id, organization_id, hold, reported_cost)
  SELECT e.id, e.organization_id, e.hold, p.reported
  FROM (SELECT id, reported FROM priced WHERE reported > price OFFSET 0) p
  CROSS JOIN LATERAL (SELECT id, organization_id, hold FROM ended WHERE id = p.id OFFSET 0) e
)`;

const hasAbove = 'EXISTS (SELECT FROM priced WHERE price > hold)';
const withinHold = `charge AS MATERIALIZED (SELECT *, price AS charged FROM priced WHERE NOT ${hasAbove})`;

const overage = `
    (1, 'overage', 'available', 'held', e.cost - e.hold, e.hold - e.cost, e.cost - e.hold),`;
const settlement = `
    (2, 'settle', 'held', 'revenue', e.cost, 0, -e.cost),
    (3, 'remainder', 'held', 'available', e.hold - e.cost, e.hold - e.cost, e.cost - e.hold)`;
const writeOff = `,
    (4, 'write_off', 'write_offs', 'revenue', e.unpaid, 0, 0)`;
const release = `(1, 'release', 'held', 'available', e.hold, e.hold, -e.hold)`;
/** A cancel is charged for what was shown of a stream (`cost`), or releases the hold. */
const cancellation = `
    (1, 'release', 'held', 'available', CASE WHEN e.cost IS NULL THEN e.hold ELSE 0 END, CASE WHEN e.cost IS NULL THEN e.hold ELSE 0 END, -CASE WHEN e.cost IS NULL THEN e.hold ELSE 0 END),
    (2, 'settle', 'held', 'revenue', coalesce(e.cost, 0), 0, -coalesce(e.cost, 0)),
    (3, 'remainder', 'held', 'available', coalesce(e.hold - e.cost, 0), coalesce(e.hold - e.cost, 0), -coalesce(e.hold - e.cost, 0))`;

// Overages come after all transfers that return money to `available`: see overage.ts.
const journal = (moves: string) => `
movement AS (
  SELECT e.organization_id, e.id, e.is_above, e.reason, v.* FROM ended e CROSS JOIN LATERAL (VALUES ${moves}
  ) AS v (step, kind, debit, credit, amount, to_available, to_held)
  WHERE v.amount > 0 OR (v.kind = 'settle' AND v.amount = 0 AND e.cost IS NOT NULL)
),
journal AS (
  INSERT INTO transfers (organization_id, sequence, kind, debit_account, credit_account, amount, available_after,
    held_after, execution_id, reason)
  SELECT m.organization_id, b.sequence + row_number() OVER w, m.kind, m.debit, m.credit, m.amount,
    b.available + sum(m.to_available) OVER w, b.held + sum(m.to_held) OVER w, m.id,
    CASE m.kind WHEN 'write_off' THEN m.reason END
  FROM movement m JOIN balance b USING (organization_id)
  WINDOW w AS (PARTITION BY m.organization_id ORDER BY m.is_above, m.id, m.step)
)`;

const spending = `
spending AS (
  UPDATE spend_limits l SET spent = greatest(0, s.spent - t.freed) FROM spent s JOIN (
    SELECT scope_id, month, sum(hold - coalesce(cost, 0)) AS freed
    FROM ended CROSS JOIN LATERAL (VALUES (organization_id), (api_key_id)) v (scope_id)
    WHERE EXISTS (SELECT FROM spent) GROUP BY scope_id, month
  ) t USING (scope_id, month)
  WHERE ${hasKeySql('l.scope_id', 's.scope_id')}
)`;

/** One statement when no price is above its hold; otherwise that one changes nothing, and a second settles all. */
export async function completeExecutions(db: Database, attemptIds: string[]): Promise<EndedExecution[]> {
  const ended = await completeWithinHold(db, attemptIds);
  return ended ?? (await completeWithOverage(db, attemptIds));
}

/** Null, and nothing changed: a price is above its hold. */
export async function completeWithinHold(
  db: Database,
  attemptIds: string[],
): Promise<EndedExecution[] | null> {
  const rows = await runStatement<EndedExecution | Record<keyof EndedExecution, null>>(
    db.pool,
    'complete_within_hold',
    completeWithinHoldSql,
    [attemptIds, firstId('exec', attemptIds)],
  );
  const ended = rows.filter((row): row is EndedExecution => row.executionId !== null);
  return ended.length === rows.length ? ended : null;
}

export async function completeWithOverage(db: Database, attemptIds: string[]): Promise<EndedExecution[]> {
  return await runStatement<EndedExecution>(db.pool, 'complete_executions', completeWithOverageSql, [
    attemptIds,
    firstId('exec', attemptIds),
  ]);
}

const completion = {
  transition: 'complete',
  first: settleable(true),
  priced: `
  SELECT h.*, r.reported, CASE WHEN ${isReviewedSql('r.reported', 'h.hold')} THEN h.hold ELSE r.reported END AS price
  FROM held h CROSS JOIN LATERAL (SELECT (h.outcome ->> 'cost')::numeric AS reported) r
  WHERE h.status IN (${quotedList(transitions.complete.from)})`,
  candidates: `
  SELECT p.*, r.* FROM charge p CROSS JOIN LATERAL json_to_record(p.outcome)
    AS r (output json, "inputTokens" int, "outputTokens" int, billed json, "finishReason" text)`,
  set: `output = coalesce(c.large, c.output), cost = c.charged, input_tokens = c."inputTokens", output_tokens = c."outputTokens",
    billed = c.billed, finish_reason = c."finishReason", latency_ms = least(extract(epoch FROM now() - e.created_at) * 1000, 2147483647)::int`,
} as const;

// The price as it was reported, of any size: whether it is above the hold is all that this statement asks.
const completeWithinHoldSql = endingStatement({
  ...completion,
  priced: `
  SELECT h.*, (h.outcome ->> 'cost')::numeric AS price FROM held h
  WHERE h.status IN (${quotedList(transitions.complete.from)})`,
  isWithinHold: true,
  extra: markSettled(true, `NOT ${hasAbove}`),
});

const completeWithOverageSql = endingStatement({
  ...completion,
  set: `${completion.set}, written_off = nullif(c.unpaid, 0)`,
  extra: markSettled(true),
});

export async function failExecutions(db: Database, attemptIds: string[]): Promise<EndedExecution[]> {
  return await runStatement<EndedExecution>(db.pool, 'fail_executions', failExecutionsSql, [
    attemptIds,
    firstId('exec', attemptIds),
  ]);
}

const failExecutionsSql = endingStatement({
  transition: 'fail',
  first: settleable(false),
  candidates: 'SELECT id, status, outcome FROM held',
  set: `error_code = c.outcome ->> 'code', error_message = c.outcome ->> 'message'`,
  extra: markSettled(false),
});

export async function cancelExecution(
  db: Database,
  organizationId: string,
  id: string,
): Promise<EndedExecution | null> {
  const [ended] = await runStatement<EndedExecution>(db.pool, 'cancel_execution', cancelExecutionSql, [
    id,
    organizationId,
  ]);
  return ended ?? null;
}

/** Cancels several; an ended one stays as it is. */
export async function cancelExecutions(
  db: Database,
  organizationId: string,
  ids: readonly string[],
): Promise<EndedExecution[]> {
  const values = [ids, organizationId];
  return await runStatement<EndedExecution>(db.pool, 'cancel_executions', cancelExecutionsSql, values);
}

// The trigger `executions_charge_cancelled` sets the cost of a stream whose shown output is charged.
const cancelSql = (named: string) =>
  endingStatement({
    transition: 'cancel',
    candidates: `SELECT id, status FROM executions WHERE ${named} FOR UPDATE`,
    set: '',
    moves: cancellation,
  });

const isOwn = checkedSql('organization_id = $2');
const cancelExecutionSql = cancelSql(`id = $1 AND ${isOwn}`);
const cancelExecutionsSql = cancelSql(`id = ANY ($1) AND ${isOwn} ORDER BY id`);

/** Ends at most `limit` open executions of a batch but those whose outcome is recorded: they are settled. */
export async function cancelOfBatch(db: Database, batchId: string, limit: number): Promise<EndedExecution[]> {
  return await runStatement<EndedExecution>(db.pool, 'cancel_of_batch', cancelOfBatchSql, [batchId, limit]);
}

const cancelOfBatchSql = endingStatement({
  transition: 'cancel',
  candidates: `
  SELECT e.id, e.status FROM executions e
  WHERE e.id = ANY (ARRAY (
      SELECT execution_id FROM batch_items WHERE batch_id = $1 AND status = 'running' AND number IS NULL ORDER BY position LIMIT $2))
    AND ${checkedSql(`e.status IN (${quotedList(transitions.cancel.from)})`)} AND NOT coalesce((
      SELECT bool_or(a.settled_at IS NULL AND a.state <> 'refused' AND a.outcome IS NOT NULL)
      FROM attempts a WHERE a.execution_id = e.id), false)
  ORDER BY e.id FOR UPDATE OF e SKIP LOCKED`,
  set: '',
});

/**
 * -> EXPIRED for overdue executions (or only `id`) but those of the organizations `except`. Executions with a recorded outcome
 * are settled instead.
 */
export async function expireExecutions(
  db: Database,
  limit: number,
  { id = null, except = [] }: { id?: string | null; except?: readonly string[] } = {},
): Promise<EndedExecution[]> {
  const values = [limit, id, except];
  return await runStatement<EndedExecution>(db.pool, 'expire_executions', expireExecutionsSql, values);
}

export type OverdueExecution = { id: string; organizationId: string };

export async function overdueExecutions(
  db: Database,
  limit: number,
  except: readonly string[] = [],
): Promise<OverdueExecution[]> {
  return await runStatement<OverdueExecution>(db.pool, 'overdue_executions', overdue, [limit, except]);
}

const overdue = `SELECT id, organization_id AS "organizationId" FROM executions
WHERE status IN (${quotedList(transitions.expire.from)}) AND expires_at <= now() AND organization_id <> ALL ($2::text[])
ORDER BY expires_at LIMIT $1`;

// In index order: by id it would read all ended executions. Locked rows are skipped, so this order cannot deadlock.
const expireExecutionsSql = endingStatement({
  transition: 'expire',
  candidates: `
  SELECT e.id, e.status, e.status = 'PENDING' OR coalesce((
    SELECT bool_or(a.finished_at IS NULL AND a.state = 'waiting') FROM attempts a WHERE a.execution_id = e.id), false)
    AS is_waiting
  FROM executions e
  WHERE e.status IN (${quotedList(transitions.expire.from)}) AND e.expires_at <= now()
    AND ($2::text IS NULL OR e.id = $2) AND e.organization_id <> ALL ($3::text[]) AND NOT coalesce((
    SELECT bool_or(a.settled_at IS NULL AND a.state <> 'refused' AND a.finished_at <= e.expires_at AND a.outcome IS NOT NULL)
    FROM attempts a WHERE a.execution_id = e.id), false)
  ORDER BY e.expires_at LIMIT $1 FOR UPDATE OF e SKIP LOCKED`,
  set: `error_code = 'GENERATION_TIMEOUT', error_message = CASE WHEN c.is_waiting
    THEN 'The execution timed out before the model had capacity for it.'
    ELSE 'The execution timed out before a result was received.' END`,
});

/** The first outcome in time of each execution (ids from `$2` on) of attempts `$1`, locked in order of id. A later one expires. */
export function settleable(ok: boolean): string {
  return `outcome AS MATERIALIZED (
  SELECT DISTINCT ON (a.execution_id) a.execution_id AS id, a.outcome, a.output AS large, a.finished_at FROM unnest($1::text[]) AS t (id)
    CROSS JOIN LATERAL (SELECT * FROM attempts WHERE id = t.id OFFSET 0) a
  WHERE a.outcome IS NOT NULL AND a.state <> 'refused' AND ${isOkSql('a.outcome')} = ${ok}
  ORDER BY a.execution_id, a.finished_at
),
held AS MATERIALIZED (
  SELECT e.*, o.outcome, o.large FROM outcome o CROSS JOIN LATERAL (
    SELECT id, status, organization_id, api_key_id, hold_amount AS hold,
      date_trunc('month', created_at AT TIME ZONE 'UTC')::date AS month FROM executions
    WHERE id = o.id AND id >= $2 AND ${checkedSql('expires_at >= o.finished_at')} FOR UPDATE
  ) e
)`;
}

export function markSettled(ok: boolean, when = 'true'): string {
  return `settled AS (
  UPDATE attempts a SET settled_at = now(), output = NULL,
    outcome = CASE WHEN a.output IS NULL THEN a.outcome ELSE ${withoutOutputSql('a.outcome')} END FROM (SELECT DISTINCT id FROM unnest($1::text[]) id WHERE ${when} ORDER BY id) t
  WHERE ${hasKeySql('a.id', 't.id')} AND ${checkedSql(`a.settled_at IS NULL AND a.outcome IS NOT NULL AND ${isOkSql('a.outcome')} = ${ok}`)}
)`;
}
