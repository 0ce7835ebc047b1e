import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';

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

/** Rows are never changed: that an action has ended, and how, is a row of its own, whose id follows from the first's. */
export const endSuffix = '_end';

/** Writes down what is about to be done. */
export async function beginAdminAction(db: Database, action: AdminActionRow): Promise<void> {
  await insert(db, action, 0);
}

/** Writes down what it came to: the status of the answer. */
export async function endAdminAction(db: Database, action: AdminActionRow, status: number): Promise<void> {
  await insert(db, { ...action, id: `${action.id}${endSuffix}`, details: {} }, status);
}

async function insert(db: Database, action: AdminActionRow, status: number): Promise<void> {
  const { id, actor, address, requestId, organizationId, target, details } = action;
  await runStatement(db.pool, 'write_admin_action', statement, [
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

const statement = `INSERT INTO admin_actions
  (id, actor, address, request_id, action, organization_id, target, status, details)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9::jsonb)`;
