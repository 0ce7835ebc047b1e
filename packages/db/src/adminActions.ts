import type { Database } from './client.ts';
import { runStatement } from './statement.ts';

export type AdminActionRow = {
  id: string;
  actor: string;
  address: string;
  requestId: string;
  action: string;
  organizationId: string | null;
  target: string | null;
  details: unknown;
};

/** Rows are never updated: the end of an action is a second row, its id derived from the first. */
const endSuffix = '_end';

export async function startAdminAction(db: Database, action: AdminActionRow): Promise<void> {
  await insert(db, action, 0);
}

export async function finishAdminAction(db: Database, action: AdminActionRow, status: number): Promise<void> {
  await insert(db, { ...action, id: `${action.id}${endSuffix}`, details: {} }, status);
}

async function insert(db: Database, action: AdminActionRow, status: number): Promise<void> {
  const { id, actor, address, requestId, organizationId, target, details } = action;
  await runStatement(db.pool, 'write_admin_action', beginAdminActionSql, [
    id,
    actor,
    address,
    requestId,
    action.action,
    organizationId,
    target,
    status,
    JSON.stringify(details),
  ]);
}

const beginAdminActionSql = `INSERT INTO admin_actions
  (id, actor, address, request_id, action, organization_id, target, status, details)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9::jsonb)`;

export type AdminActionFilter = {
  organizationId?: string | undefined;
  action?: string | undefined;
  actor?: string | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
  cursor?: string | undefined;
};

export type ListedAdminAction = AdminActionRow & { at: Date; status: number | null };

export async function listAdminActions(
  db: Database,
  filter: AdminActionFilter,
  limit: number,
): Promise<ListedAdminAction[]> {
  return await runStatement<ListedAdminAction>(db.pool, 'list_admin_actions', listAdminActionsSql, [
    filter.cursor ?? null,
    filter.organizationId ?? null,
    filter.action ?? null,
    filter.actor ?? null,
    filter.from ?? null,
    filter.to ?? null,
    limit,
  ]);
}

const listAdminActionsSql = `
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
