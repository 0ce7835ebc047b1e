import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';
import { type OrganizationRow, organizationColumns } from './create.ts';

/** What is undefined stays as it is. Null when there is no such organization. */
export async function updateOrganization(
  db: Database,
  id: string,
  change: { name: string | undefined; maxConcurrency: number | null | undefined },
): Promise<OrganizationRow | null> {
  const { name, maxConcurrency } = change;
  const values = [id, name ?? null, maxConcurrency !== undefined, maxConcurrency ?? null];
  const [row] = await runStatement<OrganizationRow>(db.pool, 'update_organization', statement, values);
  return row ?? null;
}

const statement = `
UPDATE organizations SET name = coalesce($2, name),
  max_concurrency = CASE WHEN $3::boolean THEN $4::int ELSE max_concurrency END
WHERE id = $1 RETURNING ${organizationColumns}`;
