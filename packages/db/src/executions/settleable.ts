import type { ExecutionStatus } from '@holdfast/domain/statuses';
import { quoted } from './statusList.ts';

/**
 * The executions of attempts `$1` whose outcome is recorded and of this kind, locked in order of id. One per
 * execution: the first attempt that recorded an outcome has it.
 */
export function attemptsWithOutcome(ok: boolean, from: readonly ExecutionStatus[]): string {
  return `
  SELECT e.id, a.outcome FROM executions e JOIN (
    SELECT DISTINCT ON (execution_id) execution_id, outcome FROM attempts
    WHERE id = ANY ($1::text[]) AND outcome IS NOT NULL AND (outcome ->> 'ok')::boolean = ${ok}
    ORDER BY execution_id, finished_at
  ) a ON a.execution_id = e.id
  WHERE e.status IN (${quoted(from)}) ORDER BY e.id FOR UPDATE OF e`;
}

/** Acted on, or found already ended: nothing is left to settle of these attempts. */
export function markSettled(ok: boolean): string {
  return `acted_on AS (
  SELECT id FROM attempts WHERE id = ANY ($1::text[]) AND settled_at IS NULL AND (outcome ->> 'ok')::boolean = ${ok}
  ORDER BY id FOR UPDATE
),
settled AS (
  UPDATE attempts a SET settled_at = now() FROM acted_on t WHERE a.id = t.id AND a.id = ANY ($1::text[]) AND a.settled_at IS NULL
)`;
}
