import { type ColorScheme, type PortalCapability, portal } from '@holdfast/domain/portal';
import type { Database } from './client.ts';
import { runStatement } from './statement.ts';

export type PortalLook = {
  accent: string | null;
  logoUrl: string | null;
  colorScheme: ColorScheme;
  returnUrl: string | null;
};

export type NewPortalSession = PortalLook & {
  id: string;
  organizationId: string;
  /** SHA-256 of the value of the API key that makes it; null: an operator makes it. */
  keyHash: string | null;
  capabilities: PortalCapability[];
  frameAncestors: string[];
  /** One of them: of the link that will start the session, or of the cookie of a session that starts now. */
  linkHash: string | null;
  hash: string | null;
  lifetimeS: number;
};

export type PortalSession = Omit<NewPortalSession, 'linkHash' | 'hash' | 'lifetimeS'> & {
  organizationName: string;
  isTest: boolean;
  /** Whether a link started it, and not the API key itself. */
  isByLink: boolean;
  endsAt: Date;
};

/** Stores a link, or a session that starts now; null when the organization, or the key that signs in, has too many. */
export async function insertPortalSession(db: Database, session: NewPortalSession): Promise<Date | null> {
  const [row] = await runStatement<{ endsAt: Date }>(db.pool, 'insert_portal_session', insertSql, [
    session.id,
    session.organizationId,
    session.keyHash,
    session.capabilities,
    session.frameAncestors,
    session.accent,
    session.logoUrl,
    session.colorScheme,
    session.returnUrl,
    session.linkHash,
    session.hash,
    session.lifetimeS,
    session.hash === null ? portal.linkS : session.lifetimeS,
    portal.maxOpenPerOrganization,
    portal.retentionS,
    portal.maxSignedInPerKey,
  ]);
  return row?.endsAt ?? null;
}

/** Removes ended rows, faster than they can be added. */
const insertSql = `WITH ended AS (DELETE FROM portal_sessions WHERE id IN (
  SELECT id FROM portal_sessions WHERE ends_at < now() - $15 * interval '1 second'
  ORDER BY ends_at LIMIT 100 FOR UPDATE SKIP LOCKED))
INSERT INTO portal_sessions (id, organization_id, key_hash, capabilities, frame_ancestors, accent, logo_url,
  color_scheme, return_url, link_hash, hash, lifetime_s, ends_at)
SELECT $1, $2, $3, $4::text[], $5::text[], $6, $7, $8, $9, $10, $11, $12::int, now() + $13 * interval '1 second'
WHERE (SELECT count(*) < $14::int
    AND ($11::text IS NULL OR count(*) FILTER (WHERE link_hash IS NULL AND key_hash = $3) < $16::int)
  FROM portal_sessions WHERE organization_id = $2 AND ends_at > now() AND revoked_at IS NULL)
RETURNING ends_at AS "endsAt"`;

const columns = `s.id, s.organization_id AS "organizationId", s.key_hash AS "keyHash", s.capabilities,
  s.frame_ancestors AS "frameAncestors", s.accent, s.logo_url AS "logoUrl", s.color_scheme AS "colorScheme",
  s.return_url AS "returnUrl", s.link_hash IS NOT NULL AS "isByLink", s.ends_at AS "endsAt",
  o.name AS "organizationName", o.test_of IS NOT NULL AS "isTest"`;

/** Starts the session of a link. Null: the link is unknown, expired, revoked or used; of two uses at once, one gets it. */
export async function startPortalSession(
  db: Database,
  { linkHash, hash }: { linkHash: string; hash: string },
): Promise<PortalSession | null> {
  const [row] = await runStatement<PortalSession>(db.pool, 'start_portal_session', startSql, [
    linkHash,
    hash,
  ]);
  return row ?? null;
}

const startSql = `UPDATE portal_sessions s
SET hash = $2, ends_at = now() + s.lifetime_s * interval '1 second'
FROM organizations o
WHERE s.link_hash = $1 AND s.hash IS NULL AND s.ends_at > now() AND s.revoked_at IS NULL AND o.id = s.organization_id
RETURNING ${columns}`;

/** Open sessions by the hash of their cookie. Whether their key has ended is checked by `keyHash`. */
export async function findPortalSessions(
  db: Database,
  hashes: string[],
): Promise<Map<string, PortalSession>> {
  type Row = PortalSession & { hash: string };
  const rows = await runStatement<Row>(db.pool, 'find_portal_sessions', findSql, [hashes]);
  return new Map(rows.map(({ hash, ...session }) => [hash, session]));
}

const findSql = `SELECT s.hash, ${columns} FROM portal_sessions s JOIN organizations o ON o.id = s.organization_id
WHERE s.hash = ANY ($1::text[]) AND s.ends_at > now() AND s.revoked_at IS NULL`;

export type PortalFrame = { frameAncestors: string[]; logoUrl: string | null };

/** What the headers of a session's page allow. The page is not a secret: it shows nothing without the session. */
export async function findPortalFrame(db: Database, id: string): Promise<PortalFrame | null> {
  const [row] = await runStatement<PortalFrame>(db.pool, 'find_portal_frame', frameSql, [id]);
  return row ?? null;
}

const frameSql = `SELECT frame_ancestors AS "frameAncestors", logo_url AS "logoUrl" FROM portal_sessions WHERE id = $1`;

/** Ends a session or its unused link. Idempotent; false when the organization has no such session. */
export async function revokePortalSession(
  db: Database,
  organizationId: string,
  id: string,
): Promise<boolean> {
  const rows = await runStatement(db.pool, 'revoke_portal_session', revokeSql, [id, organizationId]);
  return rows.length > 0;
}

const revokeSql = `UPDATE portal_sessions SET revoked_at = coalesce(revoked_at, now())
WHERE id = $1 AND organization_id = $2 RETURNING id`;
