/**
 * What deliveries wait in and are bounded by: an endpoint, or the origin that the `webhook_url`s of an organization name.
 * One bad receiver holds up its lane alone.
 */
export function deliveryLane(to: { endpointId: string | null; organizationId: string; url: string }): string {
  return to.endpointId ?? `${to.organizationId} ${URL.parse(to.url)?.origin ?? ''}`;
}
