import { topUp } from '@holdfast/db/balances';
import type { TestGateway } from './testGateway.ts';

/** An organization with a key and, where given, a balance. */
export async function organizationWithKey(
  gateway: TestGateway,
  { balance }: { balance?: string } = {},
): Promise<{ organizationId: string; key: string }> {
  const organizationId = await gateway.newOrganization();
  if (balance !== undefined) {
    await topUp(gateway.context.db, { organizationId, amount: balance, reason: null, idempotencyKey: null });
  }
  return { organizationId, key: await gateway.newKey(organizationId) };
}
