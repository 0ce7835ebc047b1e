import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';

export type OrganizationRow = {
  id: string;
  name: string;
  createdAt: Date;
  /** Of its executions that run at once; null: the setting's. */
  maxConcurrency: number | null;
  /** It is where the test keys of that organization lead. */
  testOf: string | null;
};

export const organizationColumns =
  'id, name, created_at AS "createdAt", max_concurrency AS "maxConcurrency", test_of AS "testOf"';

/** A new organization with an empty balance. `sealedSecret` is its webhook secret, sealed. */
export async function createOrganization(
  db: Database,
  organization: { id: string; name: string; sealedSecret: string },
): Promise<OrganizationRow> {
  const { id, name, sealedSecret } = organization;
  const [row] = await runStatement<OrganizationRow>(db.pool, 'create_organization', statement, [
    id,
    name,
    sealedSecret,
  ]);
  if (!row) throw new Error('an organization was not stored');
  return row;
}

const statement = `
WITH balance AS (INSERT INTO balances (organization_id) VALUES ($1))
INSERT INTO organizations (id, name, webhook_secret) VALUES ($1, $2, $3) RETURNING ${organizationColumns}`;
