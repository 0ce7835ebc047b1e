/** That an endpoint may be sent something now: it is active, its probe is due if it is failing, and its pace allows it. */
export function maySendSql(w: string): string {
  return `${w}.is_active AND ${w}.deleted_at IS NULL
    AND (${w}.failure_count = 0 OR ${w}.probe_at IS NULL OR ${w}.probe_at <= now())
    AND (${w}.max_per_second IS NULL OR ${w}.paced_until IS NULL OR ${w}.paced_until <= now())`;
}

/** That an endpoint is to be told what happened to another one of its organization, for it asks for that. */
export function isNotifiedSql(
  w: string,
  of: { organizationId: string; endpointId: string; type: string },
): string {
  return `${w}.organization_id = ${of.organizationId} AND ${w}.id <> ${of.endpointId} AND ${w}.deleted_at IS NULL
    AND ${w}.is_active AND (${of.type} = ANY (${w}.events) OR 'endpoint.*' = ANY (${w}.events))`;
}
