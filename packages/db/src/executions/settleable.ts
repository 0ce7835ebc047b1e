/** The first recorded outcome of each execution (ids from `$2` on) of attempts `$1`, locked in order of id. */
export function settleable(ok: boolean): string {
  return `outcome AS MATERIALIZED (
  SELECT DISTINCT ON (a.execution_id) a.execution_id AS id, a.outcome FROM attempts a
  WHERE a.id = ANY ($1::text[]) AND a.outcome IS NOT NULL AND a.state <> 'refused' AND (a.outcome ->> 'ok')::boolean = ${ok}
  ORDER BY a.execution_id, a.finished_at
),
held AS MATERIALIZED (
  SELECT id, status, organization_id, api_key_id, hold_amount AS hold,
    date_trunc('month', created_at AT TIME ZONE 'UTC')::date AS month FROM executions
  WHERE id = ANY (ARRAY (SELECT id FROM outcome)) AND id >= $2 ORDER BY id FOR UPDATE
)`;
}

export function markSettled(ok: boolean): string {
  return `acted_on AS (
  SELECT id, settled_at, (outcome ->> 'ok')::boolean AS ok FROM attempts
  WHERE id = ANY ($1::text[]) ORDER BY id FOR UPDATE
),
settled AS (
  UPDATE attempts a SET settled_at = now() FROM acted_on t WHERE a.id = t.id AND t.settled_at IS NULL AND t.ok = ${ok}
)`;
}
