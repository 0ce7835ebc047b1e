import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';
import { type AdminActionRow, endSuffix } from './write.ts';

export type AdminActionFilter = {
  organizationId?: string | undefined;
  /** A part of it. */
  action?: string | undefined;
  actor?: string | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
  cursor?: string | undefined;
};

/** With the status of the answer; null while it is not known. */
export type ListedAdminAction = AdminActionRow & { at: Date; status: number | null };

/** What operators did, newest first. */
export async function listAdminActions(
  db: Database,
  filter: AdminActionFilter,
  limit: number,
): Promise<ListedAdminAction[]> {
  return await runStatement<ListedAdminAction>(db.pool, 'list_admin_actions', statement, [
    filter.cursor ?? null,
    filter.organizationId ?? null,
    filter.action ?? null,
    filter.actor ?? null,
    filter.from ?? null,
    filter.to ?? null,
    limit,
  ]);
}

const statement = `
SELECT b.id, b.at, b.actor, b.address, b.request_id AS "requestId", b.action,
  coalesce(b.organization_id, e.organization_id) AS "organizationId", coalesce(b.target, e.target) AS target,
  e.status, b.details
FROM admin_actions b LEFT JOIN admin_actions e ON e.id = b.id || '${endSuffix}'
WHERE b.status = 0
  AND ($1::text IS NULL OR b.id < $1)
  AND ($2::text IS NULL OR coalesce(b.organization_id, e.organization_id) = $2)
  AND ($3::text IS NULL OR position(lower($3) IN lower(b.action)) > 0)
  AND ($4::text IS NULL OR b.actor = $4)
  AND ($5::timestamptz IS NULL OR b.at >= $5)
  AND ($6::timestamptz IS NULL OR b.at < $6)
ORDER BY b.id DESC LIMIT $7`;
