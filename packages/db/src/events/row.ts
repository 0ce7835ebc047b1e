import type { EventType } from '@holdfast/domain/eventTypes';
import type { Execution } from '@holdfast/domain/execution';
import { executionColumns } from '../executions/row.ts';

type Known = { eventId: string; eventCreatedAt: Date };

/** An event: as it was told, or with the execution (whose id is `id`) that it would be told of. */
export type EventRow = Known & ({ body: string } | ({ body: null; eventType: EventType } & Execution));

/** Of an event `v`, and its execution `x`, which is needed by those alone that have no body. */
export const eventColumnsSql = `v.id AS "eventId", v.type AS "eventType", v.created_at AS "eventCreatedAt", v.body,
  ${executionColumns('x')}`;

/** `OFFSET 0`: found by its id, whatever the planner believes. */
export const executionOfSql = `LEFT JOIN LATERAL (
    SELECT * FROM executions e WHERE v.body IS NULL AND e.id = v.execution_id OFFSET 0
  ) x ON true`;
