/** A webhook endpoint as its owner sees it: without its secret and its custom headers. */
export type WebhookEndpointRow = {
  id: string;
  url: string;
  description: string;
  events: string[];
  isActive: boolean;
  failureCount: number;
  lastSuccess: Date | null;
  lastFailure: Date | null;
  lastError: string | null;
  createdAt: Date;
};

/** For Prisma's `select`. */
export const shownColumns = {
  id: true,
  url: true,
  description: true,
  events: true,
  isActive: true,
  failureCount: true,
  lastSuccess: true,
  lastFailure: true,
  lastError: true,
  createdAt: true,
} as const satisfies Record<keyof WebhookEndpointRow, true>;

/** For RETURNING. */
export const shownColumnsSql = `id, url, description, events, is_active AS "isActive",
  failure_count AS "failureCount", last_success AS "lastSuccess", last_failure AS "lastFailure",
  last_error AS "lastError", created_at AS "createdAt"`;
