import type { EventType } from '@holdfast/domain/eventTypes';

/**
 * The organizations among those of the CTE `rows` that have an endpoint for events of this type: an event that nobody
 * receives is written as fanned out. Spec, "Events" 1: an empty list of types is all of them.
 */
export function listeners(rows: string, type: EventType): string {
  return `
  SELECT DISTINCT organization_id FROM webhook_endpoints
  WHERE organization_id = ANY (ARRAY (SELECT DISTINCT organization_id FROM ${rows})) AND deleted_at IS NULL AND is_active
    AND (coalesce(cardinality(events), 0) = 0 OR '${type}' = ANY (events) OR 'execution.*' = ANY (events))`;
}
