import type { Database } from '../client.ts';
import { type Role, rights, roles } from './rights.ts';

/** Rights on tables, as `holdfast_ledger: UPDATE (lock) on balances`. */
export type Deviations = {
  /** The roles that have no right on any table here: the services don't log in with them, or the setup has not run. */
  strangers: Role[];
  missing: string[];
  excess: string[];
};

/** What the roles of the services may do with the tables here, beside what `rights` says. */
export async function readDeviations(db: Database): Promise<Deviations> {
  const { rows } = await db.pool.query<{ right: string; role: Role }>(granted, [roles]);
  const has = new Set(rows.map(({ right }) => right));
  const known = new Set(rows.map(({ role }) => role));
  const wanted = new Set(roles.flatMap((role) => (known.has(role) ? rightsOf(role) : [])));
  return {
    strangers: roles.filter((role) => !known.has(role)),
    missing: [...wanted].filter((right) => !has.has(right)),
    excess: [...has].filter((right) => !wanted.has(right)),
  };
}

/** `SELECT, UPDATE (a, b)` is three rights. */
function rightsOf(role: Role): string[] {
  return Object.entries(rights[role]).flatMap(([table, text]) =>
    [...text.matchAll(/([A-Z]+)(?: \(([^)]*)\))?/g)].flatMap(([, privilege, columns]) =>
      (columns?.split(', ') ?? [null]).map(
        (column) => `${role}: ${privilege}${column === null ? '' : ` (${column})`} on ${table}`,
      ),
    ),
  );
}

// The parts of a table that is cut by month are reached through it alone.
const granted = `
SELECT r.rolname AS role, format('%s: %s on %s', r.rolname, a.privilege_type, c.relname) AS right
FROM pg_class c CROSS JOIN LATERAL aclexplode(c.relacl) a JOIN pg_roles r ON r.oid = a.grantee
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
  AND r.rolname = ANY ($1::text[])
UNION ALL
SELECT r.rolname, format('%s: %s (%s) on %s', r.rolname, a.privilege_type, t.attname, c.relname)
FROM pg_class c JOIN pg_attribute t ON t.attrelid = c.oid CROSS JOIN LATERAL aclexplode(t.attacl) a
  JOIN pg_roles r ON r.oid = a.grantee
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
  AND r.rolname = ANY ($1::text[])`;
