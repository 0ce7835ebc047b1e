import { openStatusesSql } from './sql.ts';

/** Batches are dropped with their items, before later executions of theirs: an execution without its batch is no breach. */
export const batchInvariants = {
  'a batch counts its items by their status': `
    SELECT b.id, 'counted ' || concat_ws(', ', b.waiting, b.running, b.completed, b.failed, b.cancelled, b.expired) || ', there are '
      || concat_ws(', ', i.waiting, i.running, i.completed, i.failed, i.cancelled, i.expired) AS found
    FROM batches b CROSS JOIN LATERAL (
      SELECT count(*) FILTER (WHERE status = 'waiting') AS waiting, count(*) FILTER (WHERE status = 'running') AS running,
        count(*) FILTER (WHERE status = 'completed') AS completed, count(*) FILTER (WHERE status = 'failed') AS failed,
        count(*) FILTER (WHERE status = 'cancelled') AS cancelled, count(*) FILTER (WHERE status = 'expired') AS expired
      FROM batch_items WHERE batch_id = b.id
    ) i
    WHERE (b.waiting, b.running, b.completed, b.failed, b.cancelled, b.expired)
      IS DISTINCT FROM (i.waiting, i.running, i.completed, i.failed, i.cancelled, i.expired)`,

  'a batch holds and costs what its executions do': `
    SELECT b.id, 'held ' || b.held || ', cost ' || b.cost || ', its executions ' || coalesce(e.held, 0) || ' and '
      || coalesce(e.cost, 0) AS found
    FROM batches b LEFT JOIN (
      SELECT batch_id, sum(hold_amount) FILTER (WHERE status IN ${openStatusesSql}) AS held, sum(cost) AS cost
      FROM executions WHERE batch_id IS NOT NULL GROUP BY batch_id
    ) e ON e.batch_id = b.id
    WHERE (b.held, b.cost) IS DISTINCT FROM (coalesce(e.held, 0), coalesce(e.cost, 0))`,

  'an item has the status of its last execution': `
    SELECT i.batch_id AS id, to_json(i.custom_id) || ' is ' || i.status || ', ' || i.execution_id || ' '
      || coalesce(e.status || ' of ' || coalesce(e.batch_id, 'no batch'), 'not there') AS found
    FROM batch_items i LEFT JOIN executions e ON e.id = i.execution_id
    WHERE i.execution_id IS NOT NULL AND i.status <> 'waiting' AND NOT i.execution_id = ANY (i.former_ids)
      AND (e.batch_id, e.custom_id, CASE WHEN e.status IN ${openStatusesSql} THEN 'running' ELSE lower(e.status) END)
        IS DISTINCT FROM (i.batch_id, i.custom_id, i.status)`,

  'an open execution of a batch runs an item': `
    SELECT e.id, e.status || ', the item ' || coalesce(i.status || ' by ' || coalesce(i.execution_id, 'none'), 'is not there') AS found
    FROM executions e LEFT JOIN batch_items i ON i.batch_id = e.batch_id AND i.custom_id = e.custom_id
    WHERE e.batch_id IS NOT NULL AND e.status IN ${openStatusesSql}
      AND (i.status IS DISTINCT FROM 'running' OR i.execution_id <> e.id)`,

  'a batch has reserved what its transfers leave': `
    SELECT coalesce(b.id, t.batch_id) AS id, 'reserved ' || coalesce(b.reserved::text, 'nothing') || ', transfers leave '
      || coalesce(t.reserved, 0) AS found
    FROM batches b FULL JOIN (
      SELECT batch_id, sum(CASE kind WHEN 'reserve' THEN amount ELSE -amount END) AS reserved
      FROM transfers WHERE batch_id IS NOT NULL GROUP BY batch_id
    ) t ON t.batch_id = b.id
    WHERE coalesce(b.reserved, 0) <> coalesce(t.reserved, 0)`,

  'the last event of a batch that has ended is its end': `
    SELECT b.id, b.status || ', the last event ' || coalesce(v.type, 'not there') AS found
    FROM batches b LEFT JOIN LATERAL (
      SELECT type FROM events WHERE batch_id = b.id AND organization_id = b.organization_id AND created_at >= b.created_at
      ORDER BY created_at DESC, id DESC LIMIT 1
    ) v ON true
    WHERE b.ended_at IS NOT NULL AND v.type IS DISTINCT FROM 'batch.' || b.status`,
} as const;
