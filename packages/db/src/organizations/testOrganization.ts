import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';

/**
 * The test organization of one, which is made (as `id`, with its own webhook secret, sealed) when there is none yet; of
 * a test organization itself. Null when there is no such organization.
 */
export async function testOrganization(
  db: Database,
  args: { of: string; id: string; sealedSecret: string },
): Promise<string | null> {
  const known = await find(db, args.of);
  if (known !== null) return known;
  await runStatement(db.pool, 'make_test_organization', make, [args.id, args.of, args.sealedSecret]);
  return await find(db, args.of);
}

async function find(db: Database, of: string): Promise<string | null> {
  const [row] = await runStatement<{ id: string }>(db.pool, 'find_test_organization', select, [of]);
  return row?.id ?? null;
}

/** Of several at once one makes it. */
const make = `
WITH made AS (
  INSERT INTO organizations (id, name, webhook_secret, test_of)
  SELECT $1, left(name, 190) || ' (test)', $3, id FROM organizations WHERE id = $2
  ON CONFLICT (test_of) DO NOTHING RETURNING id
)
INSERT INTO balances (organization_id) SELECT id FROM made`;

const select = `SELECT id FROM organizations WHERE test_of = $1 OR (id = $1 AND test_of IS NOT NULL)`;
