import type { Database } from '../client.ts';

/** Erases secrets that sign nothing any more: those whose time after a rotation is over, and deleted endpoints'. */
export async function eraseUnneededSecrets(db: Database): Promise<void> {
  await db.pool.query(ofOrganizations);
  await db.pool.query(ofEndpoints);
}

const ofOrganizations = `WITH held AS MATERIALIZED (
    SELECT id FROM organizations WHERE previous_webhook_secret_until <= now() ORDER BY id FOR NO KEY UPDATE
  )
  UPDATE organizations o SET previous_webhook_secret = NULL, previous_webhook_secret_until = NULL,
    previous_webhook_secret_is_primary = false
  FROM held h WHERE o.id = h.id`;

/** A deleted endpoint is never active again, so that nobody opens what is empty here. */
const ofEndpoints = `WITH held AS MATERIALIZED (
    SELECT id FROM webhook_endpoints
    WHERE previous_secret_until <= now() OR (deleted_at IS NOT NULL AND secret <> '') ORDER BY id FOR NO KEY UPDATE
  )
  UPDATE webhook_endpoints w SET previous_secret = NULL, previous_secret_until = NULL,
    previous_secret_is_primary = false,
    secret = CASE WHEN w.deleted_at IS NULL THEN w.secret ELSE '' END,
    headers = CASE WHEN w.deleted_at IS NULL THEN w.headers END
  FROM held h WHERE w.id = h.id`;
