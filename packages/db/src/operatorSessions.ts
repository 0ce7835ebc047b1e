import type { OperatorRole, SignInMethod } from '@holdfast/domain/operators';
import type { Database } from './client.ts';
import { runStatement } from './statement.ts';

export type OperatorSession = {
  id: string;
  actor: string;
  role: OperatorRole;
  method: SignInMethod;
  /** HMAC of what the session depends on. */
  credential: string;
  address: string;
  userAgent: string;
  createdAt: Date;
  expiresAt: Date;
};

const columns = `id, actor, role, method, credential, address, user_agent AS "userAgent", created_at AS "createdAt",
  expires_at AS "expiresAt"`;
const isOpen = 'revoked_at IS NULL AND expires_at > now()';

export type NewSession = Omit<OperatorSession, 'createdAt' | 'expiresAt'> & {
  hash: string;
  lifetimeMs: number;
};

export async function insertSession(db: Database, session: NewSession): Promise<OperatorSession> {
  const { id, hash, actor, role, method, credential, address, userAgent, lifetimeMs } = session;
  const [row] = await runStatement<OperatorSession>(db.pool, 'insert_operator_session', insertSql, [
    id,
    hash,
    actor,
    role,
    method,
    credential,
    address,
    userAgent,
    lifetimeMs,
  ]);
  if (!row) throw new Error('the session was not stored');
  return row;
}

const insertSql = `INSERT INTO operator_sessions (id, hash, actor, role, method, credential, address, user_agent, expires_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, now() + $9 * interval '1 millisecond')
RETURNING ${columns}`;

/** Removes ended sessions, expired links and sign-ins, and the counts of old failures: they contain addresses. Safe to run at once. */
export async function removeEnded(db: Database, failureWindowMs: number): Promise<void> {
  await runStatement(db.pool, 'remove_ended_sessions', removeSessionsSql, []);
  await runStatement(
    db.pool,
    'remove_expired_links',
    'DELETE FROM sign_in_links WHERE expires_at <= now()',
    [],
  );
  await runStatement(db.pool, 'remove_expired_sign_ins', removeSignInsSql, []);
  await runStatement(db.pool, 'remove_old_failures', removeFailuresSql, [failureWindowMs]);
}

const removeSessionsSql = `DELETE FROM operator_sessions WHERE NOT (${isOpen})`;

const removeSignInsSql = 'DELETE FROM oidc_sign_ins WHERE expires_at <= now()';

const removeFailuresSql = `DELETE FROM sign_in_failures WHERE first_at < now() - $1 * interval '1 millisecond'`;

export async function findSession(db: Database, hash: string): Promise<OperatorSession | null> {
  const [row] = await runStatement<OperatorSession>(db.pool, 'find_operator_session', findSql, [hash]);
  return row ?? null;
}

const findSql = `SELECT ${columns} FROM operator_sessions WHERE hash = $1 AND ${isOpen}`;

/** Open sessions, newest first; `actor` null: of every operator. */
export async function listSessions(db: Database, actor: string | null): Promise<OperatorSession[]> {
  return await runStatement<OperatorSession>(db.pool, 'list_operator_sessions', listSql, [actor]);
}

const listSql = `SELECT ${columns} FROM operator_sessions
WHERE ${isOpen} AND ($1::text IS NULL OR actor = $1) ORDER BY id DESC LIMIT 500`;

/** Whether the session was open. `actor` null: of any operator. */
export async function revokeSession(db: Database, id: string, actor: string | null): Promise<boolean> {
  const rows = await runStatement(db.pool, 'revoke_operator_session', revokeSql, [id, actor]);
  return rows.length > 0;
}

const revokeSql = `UPDATE operator_sessions SET revoked_at = now()
WHERE id = $1 AND ${isOpen} AND ($2::text IS NULL OR actor = $2) RETURNING id`;

export type SignInLink = { hash: string; actor: string; credential: string };

export async function insertSignInLink(db: Database, link: SignInLink, lifetimeMs: number): Promise<Date> {
  const values = [link.hash, link.actor, link.credential, lifetimeMs];
  const [row] = await runStatement<{ expiresAt: Date }>(db.pool, 'insert_sign_in_link', linkSql, values);
  if (!row) throw new Error('the sign-in link was not stored');
  return row.expiresAt;
}

const linkSql = `WITH expired AS (DELETE FROM sign_in_links WHERE expires_at <= now())
INSERT INTO sign_in_links (hash, actor, credential, expires_at)
VALUES ($1, $2, $3, now() + $4 * interval '1 millisecond') RETURNING expires_at AS "expiresAt"`;

/** Null: unknown, expired or used. One of two uses at once gets it. */
export async function useSignInLink(db: Database, hash: string): Promise<SignInLink | null> {
  const [row] = await runStatement<SignInLink & { isValid: boolean }>(db.pool, 'use_sign_in_link', useSql, [
    hash,
  ]);
  return row?.isValid ? row : null;
}

const useSql = `DELETE FROM sign_in_links WHERE hash = $1
RETURNING hash, actor, credential, expires_at > now() AS "isValid"`;

export async function insertOidcSignIn(db: Database, hash: string, lifetimeMs: number): Promise<void> {
  await runStatement(db.pool, 'insert_oidc_sign_in', insertSignInSql, [hash, lifetimeMs]);
}

const insertSignInSql = `INSERT INTO oidc_sign_ins (hash, expires_at)
VALUES ($1, now() + $2 * interval '1 millisecond')`;

/** False: unknown, expired or used. One of two uses at once is true. */
export async function useOidcSignIn(db: Database, hash: string): Promise<boolean> {
  const [row] = await runStatement<{ isValid: boolean }>(db.pool, 'use_oidc_sign_in', useSignInSql, [hash]);
  return row?.isValid ?? false;
}

const useSignInSql = `DELETE FROM oidc_sign_ins WHERE hash = $1 RETURNING expires_at > now() AS "isValid"`;

export type SignInCount = { failures: number; retryAfterS: number };

/** Counts a sign-in as failed before it is checked: no number of them at once passes the limit. */
export async function countSignIn(db: Database, address: string, windowMs: number): Promise<SignInCount> {
  const [row] = await runStatement<SignInCount>(db.pool, 'count_sign_in', countSql, [address, windowMs]);
  if (!row) throw new Error('the sign-in was not counted');
  return row;
}

const windowStart = `now() - $2 * interval '1 millisecond'`;
const countSql = `WITH old AS (
  DELETE FROM sign_in_failures WHERE address IN (
    SELECT address FROM sign_in_failures WHERE first_at < ${windowStart} AND address <> $1
    ORDER BY first_at LIMIT 100 FOR UPDATE SKIP LOCKED)
)
INSERT INTO sign_in_failures AS f (address, failures, first_at) VALUES ($1, 1, now())
ON CONFLICT (address) DO UPDATE SET
  failures = CASE WHEN f.first_at < ${windowStart} THEN 1 ELSE f.failures + 1 END,
  first_at = CASE WHEN f.first_at < ${windowStart} THEN now() ELSE f.first_at END
RETURNING failures, ceil(extract(epoch FROM first_at - (${windowStart})))::int AS "retryAfterS"`;

export async function forgetFailures(db: Database, address: string): Promise<void> {
  await runStatement(db.pool, 'forget_sign_in_failures', forgetSql, [address]);
}

const forgetSql = 'DELETE FROM sign_in_failures WHERE address = $1';
