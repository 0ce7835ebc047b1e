import { limits } from '@holdfast/domain/limits';
import type { StreamKind } from '@holdfast/domain/modelDefinition';
import type { Money } from '@holdfast/domain/money';
import type { Database } from './client.ts';
import { maxLockWaitMs } from './locks.ts';
import { checkedSql, firstId, hasKeySql, runStatement, storableText } from './statement.ts';

/** Who may write: a later claim of the attempt, or a later attempt, takes the stream over. */
export type StreamWriter = { executionId: string; attempt: number; claims: number };

export type TakenStream = {
  events: number;
  /** The last attempt whose output was shown; null: none was. */
  shownBy: number | null;
  hold: Money;
};

/** Null: the execution has ended, or a later claim writes. */
export async function takeStream(
  db: Database,
  { executionId, attempt, claims }: StreamWriter,
  kind: StreamKind,
): Promise<TakenStream | null> {
  const [taken] = await runStatement<TakenStream>(db.pool, 'take_stream', takeSql, [
    executionId,
    attempt,
    claims,
    kind,
  ]);
  return taken ?? null;
}

const takeSql = `
UPDATE streams s SET attempt = $2, claims = $3, kind = $4 FROM executions e
WHERE s.execution_id = $1 AND e.id = $1 AND ${checkedSql('s.closed_at IS NULL AND (s.attempt, s.claims) <= ($2::int, $3::int)')}
RETURNING s.events, s.shown_by AS "shownBy", e.hold_amount AS hold`;

export const streamEventTypes = ['output', 'progress', 'logs', 'reset'] as const;
export type StreamEventType = (typeof streamEventTypes)[number];

/** `data`: the JSON that a reader receives. */
export type StreamEvent = { type: StreamEventType; data: string };

export type StreamWrite = StreamWriter & {
  /** As the writer knows it: a write that is repeated finds more. */
  eventsBefore: number;
  events: readonly StreamEvent[];
  /** What the output shown so far costs. */
  cost: Money;
  inputTokens: number;
  outputTokens: number;
};

/** Returns the ids of the executions whose events were written. One write for an execution at a time. */
export async function writeStreamEvents(db: Database, writes: readonly StreamWrite[]): Promise<string[]> {
  const events = writes.flatMap(({ executionId, events: added }) =>
    added.map((event, index) => ({ executionId, number: index + 1, ...event })),
  );
  const column = <Key extends keyof StreamWrite>(key: Key) => writes.map((write) => write[key]);
  const rows = await runStatement<{ id: string }>(db.pool, 'write_stream_events', writeSql, [
    column('executionId'),
    column('attempt'),
    column('claims'),
    column('eventsBefore'),
    writes.map((write) => write.events.length),
    writes.map((write) => write.events.some(({ type }) => type === 'output')),
    column('cost'),
    column('inputTokens'),
    column('outputTokens'),
    events.map(({ executionId }) => executionId),
    events.map(({ number }) => number),
    events.map(({ type }) => type),
    events.map(({ data }) => storableText(data)),
  ]);
  return rows.map(({ id }) => id);
}

const writeSql = `
WITH written AS (
  UPDATE streams s SET events = s.events + i.events, shown_by = CASE WHEN i.is_shown THEN i.attempt ELSE s.shown_by END,
    cost = greatest(s.cost, i.cost), input_tokens = greatest(s.input_tokens, i.input_tokens),
    output_tokens = greatest(s.output_tokens, i.output_tokens)
  FROM (
    SELECT *, set_config('lock_timeout', '${maxLockWaitMs}', true) FROM unnest($1::text[], $2::int[], $3::int[], $4::int[],
      $5::int[], $6::boolean[], $7::numeric[], $8::int[], $9::int[])
      AS t (id, attempt, claims, before, events, is_shown, cost, input_tokens, output_tokens) ORDER BY id
  ) i
  WHERE ${hasKeySql('s.execution_id', 'i.id')}
    AND ${checkedSql('s.closed_at IS NULL AND (s.attempt, s.claims, s.events) = (i.attempt, i.claims, i.before)')}
  RETURNING s.execution_id AS id, i.before
),
added AS (
  INSERT INTO stream_events (execution_id, number, type, data)
  SELECT w.id, w.before + e.number, e.type, e.data
  FROM unnest($10::text[], $11::int[], $12::text[], $13::text[]) AS e (id, number, type, data) JOIN written w USING (id)
)
SELECT id FROM written`;

export type StreamState = { id: string; attempt: number; claims: number; events: number; isClosed: boolean };

/** What a write whose response was lost has left. */
export async function readStreamStates(db: Database, ids: readonly string[]): Promise<StreamState[]> {
  return await runStatement<StreamState>(db.pool, 'read_stream_states', statesSql, [ids]);
}

const statesSql = `
SELECT i.id, s.attempt, s.claims, s.events, s.closed_at IS NOT NULL AS "isClosed" FROM unnest($1::text[]) AS i (id)
CROSS JOIN LATERAL (SELECT * FROM streams WHERE execution_id = i.id OFFSET 0) s`;

/** The text that the last attempt which showed any has shown; null: none was, or it is no text. */
export async function shownText(db: Database, executionId: string): Promise<string | null> {
  const [row] = await runStatement<{ text: string | null }>(
    db.pool,
    'shown_text',
    'SELECT shown_text($1) AS text',
    [executionId],
  );
  return row?.text ?? null;
}

/** `pieces`: of text, of which `shownText` consists. Null: none was shown, or they were removed. */
export type Shown = { pieces: string[] | null; logs: string | null };

export async function readShown(db: Database, executionId: string): Promise<Shown> {
  const [row] = await runStatement<Shown>(db.pool, 'read_shown', shownSql, [executionId]);
  return row ?? { pieces: null, logs: null };
}

const shownSql = `
SELECT array_agg(v.data::json ->> 'delta' ORDER BY v.number) FILTER (WHERE v.type = 'output') AS pieces,
  string_agg((SELECT string_agg(line || E'\\n', '') FROM json_array_elements_text(v.data::json -> 'lines') AS line), ''
    ORDER BY v.number) FILTER (WHERE v.type = 'logs') AS logs
FROM stream_events v WHERE v.execution_id = $1 AND v.type IN ('output', 'logs') AND v.number > coalesce((
  SELECT max(r.number) FROM stream_events r WHERE r.execution_id = $1 AND r.type = 'reset'), 0)`;

/** The most that an execution may cost now without a write-off or a review. */
export async function streamAllowance(db: Database, executionId: string): Promise<Money | null> {
  const [row] = await runStatement<{ amount: Money | null }>(db.pool, 'stream_allowance', allowanceSql, [
    executionId,
    limits.reviewFactor,
  ]);
  return row?.amount ?? null;
}

const allowanceSql = 'SELECT stream_allowance($1, $2::numeric) AS amount';

export type ReadEvent = StreamEvent & { number: number };

export type StreamPage = {
  /** Whether the execution has ended: then there will be no further event. */
  hasEnded: boolean;
  /** How many there are; null: the execution is not streamed. */
  total: number | null;
  /** Whether they were removed, or the execution was erased. */
  isCleared: boolean;
  /** Whether the whole output comes after them: they only lead to it, or there are none. */
  endsWithWhole: boolean;
  /** The next ones after the position. */
  events: ReadEvent[];
};

/** A page ends with the event that reaches it: one of text has at most 4 KB, but a value of JSON may have more. */
const streamPageBytes = 65_536;
const streamPageEvents = 16;

/** What readers at these positions have not seen; null: there is no such execution. From the primary: a replica may be behind. */
export async function readStreams(
  db: Database,
  readers: readonly { id: string; after: number }[],
): Promise<(StreamPage | null)[]> {
  const ids = readers.map(({ id }) => id);
  const rows = await runStatement<StreamPage & { reader: number }>(db.pool, 'read_streams', readSql, [
    ids,
    readers.map(({ after }) => after),
    firstId('exec', ids),
    streamPageEvents,
    streamPageBytes,
  ]);
  const pages = new Map(rows.map(({ reader, ...page }) => [reader, page]));
  return ids.map((_id, index) => pages.get(index + 1) ?? null);
}

const readSql = `
SELECT r.n::int AS reader, e.completed_at IS NOT NULL AS "hasEnded", s.events AS total, (s.cleared_at IS NOT NULL OR e.erased_at IS NOT NULL) AS "isCleared",
  e.status = 'COMPLETED' AND e.erased_at IS NULL AND (s.kind IS NOT DISTINCT FROM 'image' OR coalesce(s.events, 0) = 0) AS "endsWithWhole",
  coalesce(v.events, '[]') AS events
FROM unnest($1::text[], $2::int[]) WITH ORDINALITY AS r (id, after, n) CROSS JOIN LATERAL (
  SELECT status, completed_at, erased_at FROM executions WHERE id = r.id AND id >= $3 LIMIT 1
) e LEFT JOIN LATERAL (
  SELECT kind, events, cleared_at FROM streams WHERE execution_id = r.id AND execution_id >= $3 LIMIT 1
) s ON true LEFT JOIN LATERAL (
  SELECT json_agg(json_build_object('number', number, 'type', type, 'data', data) ORDER BY number) AS events FROM (
    SELECT number, type, data, sum(octet_length(data)) OVER (ORDER BY number) - octet_length(data) AS bytes_before FROM (
      SELECT number, type, data FROM stream_events
      WHERE execution_id = r.id AND execution_id >= $3 AND number > r.after ORDER BY number LIMIT $4
    ) n
  ) t WHERE bytes_before < $5
) v ON s.events > r.after`;

/** Removes the events of executions that ended long enough ago, and their partial images; returns how many. Text that has no other place is kept. */
export async function clearStreams(db: Database, retentionS: number, limit: number): Promise<number> {
  const rows = await runStatement(db.pool, 'clear_streams', clearSql, [retentionS, limit]);
  return rows.length;
}

const clearSql = `
WITH due AS MATERIALIZED (
  SELECT execution_id AS id FROM streams
  WHERE closed_at < now() - $1::int * interval '1 second' AND cleared_at IS NULL
  ORDER BY closed_at LIMIT $2 FOR UPDATE SKIP LOCKED
),
kept AS MATERIALIZED (
  SELECT d.id, CASE WHEN e.status <> 'COMPLETED' AND e.erased_at IS NULL THEN shown_text(d.id) END AS text
  FROM due d CROSS JOIN LATERAL (SELECT status, erased_at FROM executions WHERE id = d.id OFFSET 0) e
),
gone AS (DELETE FROM stream_events v USING kept k WHERE ${hasKeySql('v.execution_id', 'k.id')}),
expired AS (
  UPDATE files f SET expires_at = least(f.expires_at, date_trunc('milliseconds', now())) FROM (
    SELECT p.id FROM kept k CROSS JOIN LATERAL (
      SELECT id FROM files WHERE execution_id = k.id AND ${checkedSql('is_partial')} OFFSET 0
    ) p ORDER BY p.id
  ) p WHERE ${hasKeySql('f.id', 'p.id')} AND ${checkedSql("f.state <> 'deleted'")}
)
UPDATE streams s SET cleared_at = now(), partial_output = k.text FROM kept k
WHERE ${hasKeySql('s.execution_id', 'k.id')} RETURNING s.execution_id`;
