import type { EventType } from '@holdfast/domain/events';

/** An endpoint that may be sent to now: active, its probe due if it is failing, within its pace. */
export function maySendSql(w: string): string {
  return `${w}.is_active AND ${w}.deleted_at IS NULL
    AND (${w}.failure_count = 0 OR ${w}.probe_at IS NULL OR ${w}.probe_at <= now())
    AND (${w}.max_per_second IS NULL OR ${w}.paced_until IS NULL OR ${w}.paced_until <= now())`;
}

export function isNotifiedSql(
  w: string,
  of: { organizationId: string; endpointId: string; type: string },
): string {
  return `${w}.organization_id = ${of.organizationId} AND ${w}.id <> ${of.endpointId} AND ${w}.deleted_at IS NULL
    AND ${w}.is_active AND (${of.type} = ANY (${w}.events) OR 'endpoint.*' = ANY (${w}.events))`;
}

/** Organizations with an active endpoint for this type. Spec, "Events" 1: an empty list means all types. */
export function subscribedOrganizationsSql(rows: string, type: EventType): string {
  return `
  SELECT DISTINCT organization_id FROM webhook_endpoints
  WHERE organization_id = ANY (ARRAY (SELECT DISTINCT organization_id FROM ${rows})) AND deleted_at IS NULL AND is_active
    AND (coalesce(cardinality(events), 0) = 0 OR '${type}' = ANY (events) OR 'execution.*' = ANY (events))`;
}
