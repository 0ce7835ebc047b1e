import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';
import { type SigningSecrets, signingSecretsSql } from './signingSecrets.ts';

/** Where a test call goes; its headers are sealed JSON. */
export type TestTarget = SigningSecrets & { url: string; headers: string | null };

/** The organization's endpoint, active or not; null when it has none of that id. */
export async function getTestTarget(
  db: Database,
  organizationId: string,
  endpointId: string,
): Promise<TestTarget | null> {
  const values = [endpointId, organizationId];
  const [target] = await runStatement<TestTarget>(db.pool, 'get_test_target', statement, values);
  return target ?? null;
}

const statement = `SELECT w.url, w.headers, ${signingSecretsSql('w', 'secret')} FROM webhook_endpoints w
  WHERE w.id = $1 AND w.organization_id = $2 AND w.deleted_at IS NULL`;
