/** An endpoint, or the origin of an organization's `webhook_url`s: a slow receiver delays its own lane only. */
export function deliveryLane(to: { endpointId: string | null; organizationId: string; url: string }): string {
  return to.endpointId ?? `${to.organizationId} ${URL.parse(to.url)?.origin ?? ''}`;
}
