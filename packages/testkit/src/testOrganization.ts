import { topUp } from '@holdfast/db/balances';
import type { Database } from '@holdfast/db/client';
import { createOrganization } from '@holdfast/db/organizations';
import { newId } from '@holdfast/domain/ids';
import type { Money } from '@holdfast/domain/money';

/** The webhook secret cannot be opened. */
export async function createTestOrganization(db: Database, balance: Money): Promise<string> {
  const { id } = await createOrganization(db, { id: newId('org'), name: 'Test', sealedSecret: 'none' });
  await topUp(db, { organizationId: id, amount: balance, reason: null, idempotencyKey: null });
  return id;
}
